"""Who sets the number of replicas in a cluster: the plan, or an autoscaler between bounds that follow from the plan."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from stowplan.diagnostics.model import Diagnostic, Label, error, warning
from stowplan.model.inputs.intents import InferenceIntentSpec
from stowplan.model.plan import Assignment
from stowplan.model.quantity import QuantityForm, format_quantity
from stowplan.model.workload import Workload
from stowplan.passes.lower.inference.engines import EngineKind

__all__ = ["Scale", "scale_of"]


@dataclass(frozen=True, slots=True)
class Scale:
    """`replicas` that the plan placed; with an autoscaler its bounds, the metric's name, and its target a replica."""

    replicas: int
    is_automatic: bool = False
    most: int = 0
    metric: str = ""
    target: str = ""


def scale_of(
    workload: Workload, spec: InferenceIntentSpec, assignment: Assignment, engine: EngineKind
) -> tuple[Scale | None, list[Diagnostic]]:
    """The scale in one cluster.

    What the plan placed is the least that runs: `scaling.min` counts only where it is more. The upper bound is the
    intent's, but never below what was placed.
    """
    replicas = assignment.replicas or 0
    scaling, entity = spec.scaling, workload.entity
    if scaling is None or scaling.by == "none":
        return Scale(replicas), []
    if scaling.by == "keda":
        return None, [
            error(
                "SP0729",
                f"`{workload.name}` asks for KEDA, which is not rendered yet",
                entity.at("scaling", "by"),
                "not supported",
                helps=("use `by: hpa` with a custom metrics adapter",),
            )
        ]
    metric = engine.metrics.get(scaling.metric)
    if metric is None:
        return None, [
            error(
                "SP0729",
                f"the engine `{spec.engine.type}` has no metric for `{scaling.metric}`",
                entity.at("scaling", "metric"),
                "not measured by this engine",
                secondary=(Label(entity.at("engine", "type"), "this engine"),),
                helps=("it has " + ", ".join(f"`{name}`" for name in sorted(engine.metrics)),),
            )
        ]
    least = max(scaling.min, replicas)
    found = []
    if replicas > scaling.max:
        found.append(
            warning(
                "SP0730",
                f"{replicas} replicas of `{workload.name}` are placed in cluster `{assignment.cluster}`, more than `scaling.max`",
                entity.at("scaling", "max"),
                f"{scaling.max}",
                secondary=(Label(entity.at("regions"), "declared here"),),
                notes=(f"the autoscaler's upper bound there is {replicas}",),
                targets=(assignment.cluster,),
            )
        )
    target = format_quantity(Fraction(scaling.target).limit_denominator(1000), QuantityForm.DECIMAL)
    return Scale(max(1, least), True, max(scaling.max, least, 1), metric, target), found
