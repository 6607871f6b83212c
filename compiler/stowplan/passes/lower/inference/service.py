"""One service in one cluster: everything that is decided about it, before any object is made."""

from __future__ import annotations

from dataclasses import dataclass

from stowplan.diagnostics.model import Diagnostic, Label, Severity, error
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.intents import InferenceIntentSpec
from stowplan.model.plan import Assignment
from stowplan.model.workload import Workload
from stowplan.passes.lower.claims import PodClaim, pod_claim
from stowplan.passes.lower.images import Place, image_reference
from stowplan.passes.lower.inference.engines import ENGINES, EngineKind
from stowplan.passes.lower.inference.model_source import ModelSource, model_source
from stowplan.passes.lower.inference.names import object_name
from stowplan.passes.lower.inference.scaling import Scale, scale_of
from stowplan.passes.lower.inference.versions import Stack, stack_of

__all__ = ["Service", "service_of"]


@dataclass(frozen=True, slots=True)
class Service:
    """One service in one cluster. `is_karmada` says that Karmada carries it there."""

    fleet: Fleet
    workload: Workload
    spec: InferenceIntentSpec
    assignment: Assignment
    cluster: Cluster
    engine: EngineKind
    stack: Stack
    image: Place
    model: ModelSource
    scale: Scale
    is_karmada: bool

    @property
    def name(self) -> str:
        """Name of the server, its pool, and its route."""
        return object_name(self.workload.name)

    @property
    def picker(self) -> str:
        """Name of the endpoint picker and of what belongs to it."""
        return object_name(self.workload.name, "picker")

    @property
    def account(self) -> str:
        """Service account of the servers."""
        return object_name(self.workload.name, "server")

    @property
    def claim(self) -> PodClaim | None:
        """What each pod of a replica claims, where Dynamic Resource Allocation hands out the devices."""
        return pod_claim(self.fleet, self.workload, self.cluster.name, self.assignment.flavor)

    @property
    def nodes(self) -> int:
        """Nodes of one replica."""
        return self.workload.unit.workers


def service_of(fleet: Fleet, workload: Workload, assignment: Assignment) -> tuple[Service | None, list[Diagnostic]]:
    """The service, or None with what is in its way."""
    spec = workload.inference
    assert spec is not None
    entity, cluster = workload.entity, fleet.clusters[assignment.cluster]
    engine = ENGINES[spec.engine.type]
    is_karmada = workload.dispatch == "karmada"
    found = [*_check_arguments(workload, spec, engine), *_check_nodes(fleet, workload, engine)]
    stack = stack_of(cluster)
    model = model_source(fleet, fleet.artifacts[spec.model], cluster, engine, entity.at("model"))
    scale, scale_findings = scale_of(workload, spec, assignment, engine)
    found += [*scale_findings, *(made for made in (stack, model) if isinstance(made, Diagnostic))]
    if isinstance(stack, Diagnostic) or isinstance(model, Diagnostic) or scale is None or _is_stopped(found):
        return None, found
    image = image_reference(fleet, fleet.artifacts[spec.engine.image], cluster)
    return (
        Service(fleet, workload, spec, assignment, cluster, engine, stack, image, model, scale, is_karmada),
        found,
    )


def _is_stopped(found: list[Diagnostic]) -> bool:
    return any(d.severity is Severity.ERROR for d in found)


def _check_arguments(workload: Workload, spec: InferenceIntentSpec, engine: EngineKind) -> list[Diagnostic]:
    """Arguments that the compiler sets itself must not be set by the user as well."""
    found = []
    for index, argument in enumerate(spec.engine.args):
        flag = argument.partition("=")[0]
        if flag in engine.own_flags:
            found.append(
                error(
                    "SP0724",
                    f"argument `{flag}` of `{workload.name}` is set by the compiler",
                    workload.entity.at("engine", "args", index),
                    "set here as well",
                    helps=("leave it out: it follows from `replica`, `engine.port`, `servedName`, and the model",),
                )
            )
    if spec.served_name is not None and engine.served_name is None:
        found.append(
            error(
                "SP0725",
                f"the engine `{spec.engine.type}` cannot serve a model under another name",
                workload.entity.at("servedName"),
                "not possible with this engine",
                secondary=(Label(workload.entity.at("engine", "type"), "this engine"),),
                helps=("leave `servedName` out, or choose another engine",),
            )
        )
    return found


def _check_nodes(fleet: Fleet, workload: Workload, engine: EngineKind) -> list[Diagnostic]:
    """A replica on several nodes needs an engine that can, and a way there (eligibility asked for LeaderWorkerSets)."""
    if workload.unit.workers == 1:
        return []
    at = workload.entity.at("replica", "nodes")
    if not engine.head:
        return [
            error(
                "SP0726",
                f"the engine of `{workload.name}` cannot span nodes",
                at,
                f"{workload.unit.workers} nodes a replica",
                secondary=(Label(workload.entity.at("engine", "type"), "this engine"),),
                helps=("use one node a replica, or the engine vllm or sglang",),
            )
        ]
    return _check_karmada(fleet, workload)


def _check_karmada(fleet: Fleet, workload: Workload) -> list[Diagnostic]:
    hub = fleet.spec.hubs.karmada
    spec = workload.inference
    if workload.dispatch != "karmada" or hub is None or spec is None:
        return []
    at = workload.entity.at("replica", "nodes")
    if "leaderworkerset.x-k8s.io/v1" not in hub.apis:
        return [
            error(
                "SP0728",
                f"Karmada cannot carry `{workload.name}`: its API server does not serve LeaderWorkerSets",
                at,
                "a LeaderWorkerSet",
                secondary=(Label(fleet.entity.at("hubs", "karmada"), "not among `apis`"),),
                helps=("install the definition on Karmada's API server, or set `dispatch: direct` on the intent",),
            )
        ]
    if spec.scaling is not None and spec.scaling.by != "none":
        return [
            error(
                "SP0728",
                f"Karmada would set back the replicas of `{workload.name}`: it keeps those of Deployments only",
                workload.entity.at("scaling", "by"),
                "scaled in the members",
                secondary=(Label(at, "a LeaderWorkerSet"),),
                helps=("set `scaling.by: none`, or `dispatch: direct` on the intent",),
            )
        ]
    return []
