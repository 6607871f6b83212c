"""Import of CustomResourceDefinitions from files, folders and streams into a pack, with findings at their places."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from stowplan.diagnostics.model import Diagnostic, Outcome, error, warning
from stowplan.schema.crd import PackBuilder, is_crd
from stowplan.schema.crdyaml import compose_documents, load_documents
from stowplan.schema.pack import KindFacts, Pack, PackSource
from stowplan.schema.structural import Complaint
from stowplan.source.span import Pointer, Span

__all__ = ["MAX_BYTES", "import_crds", "import_text", "import_texts"]

MAX_BYTES = 64 << 20
"""Of one file; the largest set of definitions in wide use is half of it."""
_MAX_FILES = 5_000
_MAX_DOCUMENTS = 20_000
_MAX_ITEMS = 20_000
_SUFFIXES = frozenset({".yaml", ".yml", ".json"})


def import_crds(paths: Iterable[Path], name: str = "", *, rules: bool = True) -> Outcome[Pack]:
    """A pack of every definition in `paths` (files, or folders with everything below them).

    Documents that are no definitions are passed over; a file or folder without any is a warning. A definition with
    faults is left out as a whole.
    """
    work = _Import(rules)
    for path in paths:
        before = len(work.builder.kinds)
        files = tuple(_files_in(path, work.findings))
        for file in files:
            work.read(file)
        if len(work.builder.kinds) == before and not work.findings:
            work.findings.append(warning("SP0811", f"no CustomResourceDefinition found in `{path}`", helps=_GET_CRDS))
    return Outcome(work.builder.pack(name), tuple(work.findings))


def import_text(text: str, path: str = "<stdin>", name: str = "", *, rules: bool = True) -> Outcome[Pack]:
    """A pack of the definitions in a stream (YAML documents or JSON), such as `kubectl get crds -o yaml` prints."""
    return import_texts(((path, text),), name, rules=rules)


def import_texts(texts: Iterable[tuple[str, str]], name: str = "", *, rules: bool = True) -> Outcome[Pack]:
    """A pack of the definitions in several streams, each given as its path and text."""
    work = _Import(rules)
    paths = []
    for path, text in texts:
        paths.append(path)
        work.text(text, path)
    if not work.builder.kinds and not work.findings:
        text = f"no CustomResourceDefinition found in {', '.join(f'`{path}`' for path in paths[:5])}"
        work.findings.append(warning("SP0811", text, helps=_GET_CRDS))
    return Outcome(work.builder.pack(name), tuple(work.findings))


_GET_CRDS = ("`kubectl get crds -o yaml` prints the definitions of a cluster",)


def _files_in(path: Path, findings: list[Diagnostic]) -> Iterator[Path]:
    """The files to read, in a fixed order; links that leave the folder are followed no further."""
    if not path.is_dir():
        yield path
        return
    count = 0
    for folder, folders, names in os.walk(path):
        folders.sort()
        for file in sorted(names):
            if Path(file).suffix in _SUFFIXES:
                count += 1
                if count > _MAX_FILES:
                    findings.append(error("SP0810", f"`{path}` has more than {_MAX_FILES} files"))
                    return
                yield Path(folder) / file


class _Import:
    """One run: collects definitions, remembers which were seen, notes findings."""

    def __init__(self, rules: bool) -> None:
        self.builder = PackBuilder(rules=rules)
        self.findings: list[Diagnostic] = []
        self._seen: dict[tuple[str, str], str] = {}

    def read(self, path: Path) -> None:
        """Import one file."""
        try:
            if path.stat().st_size > MAX_BYTES:
                self.findings.append(error("SP0810", f"`{path}` is larger than {MAX_BYTES >> 20} MiB"))
                return
            text = path.read_text(encoding="utf-8")
        except OSError as problem:
            self.findings.append(error("SP0810", f"`{path}` cannot be read: {problem.strerror}"))
            return
        except UnicodeDecodeError:
            self.findings.append(error("SP0810", f"`{path}` is not UTF-8 text"))
            return
        self.text(text, str(path))

    def text(self, text: str, path: str) -> None:
        """Import one stream."""
        if len(text) > MAX_BYTES:
            self.findings.append(error("SP0810", f"`{path}` is larger than {MAX_BYTES >> 20} MiB"))
            return
        try:
            for number, document in enumerate(_documents(text)):
                if number >= _MAX_DOCUMENTS:
                    self.findings.append(error("SP0810", f"`{path}` has more than {_MAX_DOCUMENTS} documents"))
                    return
                self._document(document, path, text, number)
        except yaml.MarkedYAMLError as problem:
            self.findings.append(error("SP0810", f"`{path}` is not YAML: {problem.problem}", _mark_span(path, problem)))
        except (yaml.YAMLError, ValueError, RecursionError) as problem:
            reason = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem).split("\n")[0]
            self.findings.append(error("SP0810", f"`{path}` cannot be read: {reason}"))

    def _document(self, document: Any, path: str, text: str, number: int) -> None:
        if type(document) is dict and str(document.get("kind", "")).endswith("List"):
            items = document.get("items")
            if type(items) is list:
                for index, item in enumerate(items[:_MAX_ITEMS]):
                    self._definition(item, path, text, number, ("items", index))
        else:
            self._definition(document, path, text, number, ())

    def _definition(self, crd: Any, path: str, text: str, number: int, at: Pointer) -> None:
        if not is_crd(crd):
            return
        source = self.builder.source(PackSource(path))
        first = len(self.builder.kinds)
        complaints = self.builder.add(crd, source)
        if complaints:
            places = _Places(text, number)
            self.findings += [_finding(complaint, crd, path, places, at) for complaint in complaints]
            return
        self._drop_repeats(first, path)

    def _drop_repeats(self, first: int, path: str) -> None:
        """The last definition of a kind wins, and the earlier one is named."""
        facts: KindFacts = self.builder.kinds[first]
        key = (facts.group, facts.kind)
        before = self._seen.get(key)
        if before is not None:
            text = f"`{facts.kind}` of `{facts.group}` is defined twice; the definition in `{path}` is used"
            self.findings.append(warning("SP0812", text, notes=(f"the other one is in `{before}`",)))
            old = [k for k in self.builder.kinds[:first] if (k.group, k.kind) != key]
            self.builder.kinds[:first] = old
        self._seen[key] = path


def _documents(text: str) -> Iterator[Any]:
    """The documents of a stream; JSON is told by its first character, which is much faster to read."""
    if text.lstrip()[:1] in "{[":
        try:
            yield json.loads(text)
        except json.JSONDecodeError:
            pass
        else:
            return
    yield from load_documents(text)


class _Places:
    """Positions in one document, worked out only when there is something to report."""

    def __init__(self, text: str, number: int) -> None:
        self._root: Any = None
        for index, node in enumerate(compose_documents(text)):
            if index == number:
                self._root = node
                break

    def find(self, pointer: Pointer) -> tuple[Any, Any] | None:
        """The start and end marks of the deepest place on `pointer` that exists."""
        node = self._root
        for step in pointer:
            below = _step(node, step)
            if below is None:
                break
            node = below
        return None if node is None else (node.start_mark, node.end_mark)


def _step(node: Any, step: str | int) -> Any:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step]
    return None


def _finding(complaint: Complaint, crd: Any, path: str, places: _Places, at: Pointer) -> Diagnostic:
    marks = places.find((*at, *complaint.pointer))
    span = None
    if marks is not None:
        start, end = marks
        last = end if end.line == start.line else start
        span = Span(path, start.line + 1, start.column + 1, last.line + 1, max(last.column, start.column + 1) + 1)
    metadata = crd.get("metadata")
    name = str(metadata.get("name"))[:100] if isinstance(metadata, dict) else "?"
    helps = (complaint.help,) if complaint.help else ()
    return error(
        "SP0810", f"definition `{name}` cannot be used: {complaint.message}", span, helps=helps, subject=f"crd/{name}"
    )


def _mark_span(path: str, problem: yaml.MarkedYAMLError) -> Span | None:
    mark = problem.problem_mark
    return None if mark is None else Span(path, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
