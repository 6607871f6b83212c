"""What MultiKueue cannot bring to a worker, or not resize there: by runtime, and by the releases on both sides."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.model.runtimes import RUNTIMES, Release
from stowplan.passes.lower.jobs.common import JobScene
from stowplan.passes.lower.kueue.dialect import dialect_of

__all__ = ["undispatched"]

_DIRECT = "set `dispatch: direct`"


def undispatched(scene: JobScene) -> Iterator[Diagnostic]:
    """Why MultiKueue cannot dispatch the job as it is asked for; a job that starts on the manager itself is not asked."""
    entity, runtime = scene.dispatch.workload.entity, RUNTIMES[scene.spec.runtime]
    where = entity.at("runtime")
    if runtime.multikueue is None:
        yield error(
            "SP2104", f"MultiKueue cannot dispatch a {runtime.kind}, which runs outside Kueue", where, helps=(_DIRECT,)
        )
        return
    if scene.dispatch.candidates is None:
        return
    yield from _too_old(scene, runtime.multikueue)
    if scene.spec.options.get("elastic") is True:
        yield from _not_resized(scene)


def _too_old(scene: JobScene, since: Release) -> Iterator[Diagnostic]:
    """The first cluster, the manager before the workers, whose Kueue does not know how yet."""
    entity, runtime = scene.dispatch.workload.entity, scene.spec.runtime
    for name in _both_sides(scene):
        cluster = scene.fleet.clusters[name]
        dialect = dialect_of(cluster)
        if dialect is not None and dialect.version < since:
            yield error(
                "SP2104", f"MultiKueue dispatches a {runtime} from Kueue {_text(since)} on, `{name}` has "
                f"{_text(dialect.version)}", entity.at("runtime"),
                secondary=(Label(cluster.entity.at("components", "kueue"), "its release"),),
                helps=(_DIRECT, "use another runtime, or a newer Kueue"),
            )  # fmt: skip
            return


def _not_resized(scene: JobScene) -> Iterator[Diagnostic]:
    """Elastic work whose copy on the worker would keep its first size."""
    workload, runtime = scene.dispatch.workload, RUNTIMES[scene.spec.runtime]
    where, since = workload.entity.at("options", "elastic"), runtime.resized
    if runtime.kind == "Job" and workload.training is not None:
        yield error(
            "SP2104", "MultiKueue does not resize a gang: of an elastic Job only `parallelism` follows to the worker, and "
            "a gang has as many completions", where, helps=(_DIRECT, "leave `elastic` out"),
        )  # fmt: skip
    elif since is None:
        yield error(
            "SP2104", f"MultiKueue does not resize a {runtime.kind}: its copy on the worker would keep its first size", where,
            helps=(_DIRECT, "leave `elastic` out"),
        )  # fmt: skip
    else:
        for name in _both_sides(scene)[:1]:
            dialect = dialect_of(scene.fleet.clusters[name])
            if dialect is not None and dialect.version < since:
                yield error(
                    "SP2104", f"MultiKueue resizes a {runtime.kind} from Kueue {_text(since)} on, the manager `{name}` has "
                    f"{_text(dialect.version)}", where,
                    secondary=(Label(scene.fleet.clusters[name].entity.at("components", "kueue"), "its release"),),
                    helps=(_DIRECT, "leave `elastic` out"),
                )  # fmt: skip


def _both_sides(scene: JobScene) -> list[str]:
    """The manager, then the candidates."""
    hub, candidates = scene.fleet.spec.hubs.kueue, scene.dispatch.candidates
    return [*([hub.cluster] if hub is not None else []), *(candidates.clusters if candidates is not None else ())]


def _text(release: Release) -> str:
    return ".".join(map(str, release))
