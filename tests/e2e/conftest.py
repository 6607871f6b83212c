"""Fixtures of the end-to-end tests; see README.md for what each gives."""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from harness.bed import Bed
from harness.binaries import require
from harness.certificates import Certificates, make_certificates
from harness.client import reference
from harness.control_plane import ControlPlane
from harness.figures import SECTION, Say, lines_of, sayer
from harness.processes import running, stop_all, tail
from harness.reaper import close_reaper
from harness.servers import ChoiceError, cache_root, chosen

_numbers = itertools.count(1)
_SHOWN_LINES = 8
_SESSION_BED = pytest.StashKey[Bed]()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Keys and certificates of the run."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))


def _bed(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[Bed]:
    bed = Bed(tmp_path_factory.mktemp("bed"), certificates)
    try:
        yield bed
    finally:
        bed.close()


@pytest.fixture
def bed(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[Bed]:
    """Servers of one test."""
    yield from _bed(tmp_path_factory, certificates)


@pytest.fixture(scope="module")
def module_bed(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[Bed]:
    """Servers that the tests of one module share."""
    yield from _bed(tmp_path_factory, certificates)


@pytest.fixture(scope="session")
def session_bed(
    tmp_path_factory: pytest.TempPathFactory, certificates: Certificates, pytestconfig: pytest.Config
) -> Iterator[Bed]:
    """Servers that the whole run shares."""
    for bed in _bed(tmp_path_factory, certificates):
        pytestconfig.stash[_SESSION_BED] = bed
        yield bed


@pytest.fixture(scope="session")
def shared_plane(session_bed: Bed) -> ControlPlane:
    """One control plane with kube-controller-manager for the whole run: keep to a namespace of your own."""
    require("etcd", "kube-apiserver", "kube-controller-manager")
    return session_bed.plane("shared", controller_manager=True)


@pytest.fixture
def namespace(shared_plane: ControlPlane) -> Iterator[str]:
    """A namespace of the shared plane for one test."""
    name = f"test-{next(_numbers)}"
    client = shared_plane.client()
    client.create(reference("v1", "Namespace", name))
    yield name
    client.delete(reference("v1", "Namespace", name))


@pytest.fixture
def say(request: pytest.FixtureRequest) -> Say:
    """Says a line of figures, which is shown at the end of the run, whichever process it was found in."""
    return sayer(request.node)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The figures of all tests, before the closing line."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    lines = list(lines_of(report for report in reports if report.when == "call"))
    if lines:
        terminalreporter.section(SECTION)
        terminalreporter.write("".join(f"{line}\n" for line in lines))


def pytest_sessionstart() -> None:
    """Refuse a release of Kueue that no server has, before anything is collected."""
    try:
        chosen("kueue")
    except ChoiceError as unknown:
        raise pytest.UsageError(str(unknown)) from unknown


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark all tests here as end-to-end tests; leave out those of releases of Kueue that the run is not held to.

    Those that use the servers of the run come first, so that these need not run beside the others.
    """
    others = []
    for item in items:
        item.add_marker(pytest.mark.e2e)
        others += [item for mark in item.iter_markers("kueue_only") if not mark.args[0]]
    if others:
        config.hook.pytest_deselected(items=others)
    items[:] = sorted((item for item in items if item not in others), key=_uses_shared, reverse=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """Stop the servers of the run with the last test that uses them: even idle ones take a part of the machine."""
    yield
    bed = item.config.stash.get(_SESSION_BED, None)
    if bed is not None and nextitem is not None and not _uses_shared(nextitem):
        bed.close()


def _uses_shared(item: pytest.Item) -> bool:
    return "session_bed" in getattr(item, "fixturenames", ())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last lines of every running server's log with a failure, and keep the logs."""
    report = yield
    if report.failed:
        kept = _logs_folder(item)
        for server in running():
            copied = kept / server.log.name
            shutil.copyfile(server.log, copied)
            report.sections.append((f"last lines of {server.name} ({copied})", tail(server.log, _SHOWN_LINES)))
    return report


def _logs_folder(item: pytest.Item) -> Path:
    """An empty folder for the logs of a failed test: under STOWPLAN_E2E_LOGS, or beside the built servers."""
    root = Path(os.environ.get("STOWPLAN_E2E_LOGS") or cache_root().parent / "e2e-logs")
    folder = root / re.sub(r"[^A-Za-z0-9_.-]+", "-", item.name)[:100]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def pytest_unconfigure() -> None:
    """Leave nothing running."""
    stop_all()
    close_reaper()
