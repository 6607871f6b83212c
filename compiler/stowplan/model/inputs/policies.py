"""Policies: placement, ownership, guardrails, failover, rollout, rule levels, and exemptions."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from stowplan.model.inputs.base import ClusterName, Duration, InputModel, Name, Percent, Text, Timestamp, seq
from stowplan.model.inputs.cluster import Role
from stowplan.model.quantity import parse_duration

__all__ = [
    "ComponentSpec",
    "ExemptionSpec",
    "FailoverPolicySpec",
    "GuardrailPolicySpec",
    "OwnershipPolicySpec",
    "PlacementPolicySpec",
    "RolloutPolicySpec",
    "RuleLevelsSpec",
]


class PlacementRule(InputModel):
    """A hard rule in CEL over `intent`, `cluster`, and `flavor`."""

    name: Name = Field(description="name of the rule")
    when: Text | None = Field(default=None, description="CEL: whether the rule applies; absent means always")
    require: Text = Field(description="CEL: what must hold")
    reason: Text = Field(description="what a person reads when it does not")


class TimePreference(InputModel):
    """What an hour is worth."""

    weight_per_hour: float = Field(ge=0, description="score of one hour to result")


class CostPreference(InputModel):
    """What money is worth."""

    weight_per_currency_unit: float = Field(ge=0, description="score of one unit of the fleet's currency")


class CarbonPreference(InputModel):
    """What carbon is worth."""

    weight_per_kilogram: float = Field(ge=0, description="score of one kilogram of CO2 equivalent")


class ScoreTerm(InputModel):
    """A further preference in CEL over `intent`, `cluster`, and `flavor`; a number, lower is better."""

    name: Name = Field(description="name of the term")
    expression: Text = Field(description="CEL: a number")
    weight: float = Field(description="score of one unit of it")
    unit: Text = Field(description="unit of the number")


class Prefer(InputModel):
    """Preferences, each in its own unit; the score is their weighted sum, lower is better."""

    time_to_result: TimePreference | None = Field(default=None, description="hours to result")
    cost: CostPreference | None = Field(default=None, description="money")
    carbon: CarbonPreference | None = Field(default=None, description="carbon")
    terms: tuple[ScoreTerm, ...] = seq("further terms in CEL")


class Move(InputModel):
    """When an assignment in the lock is left."""

    threshold: Percent = Field(default="10%", description="share by which another candidate must be better")


class Spot(InputModel):
    """When a price may move work away from its data."""

    never_below: Duration = Field(default="2h", description="loss unit below which a price never moves work (duration)")
    allowed_above: Duration = Field(default="8h", description="loss unit from which it may (duration)")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if parse_duration(self.never_below) > parse_duration(self.allowed_above):
            raise PydanticCustomError(
                "order", "`neverBelow` ({below}) is above `allowedAbove` ({above})",
                {"below": self.never_below, "above": self.allowed_above, "field": "neverBelow"},
            )  # fmt: skip
        return self


class PlacementPolicySpec(InputModel):
    """Hard rules and preferences of placement; several policies add their rules, one may state preferences."""

    rules: tuple[PlacementRule, ...] = seq("hard rules")
    prefer: Prefer | None = Field(default=None, description="preferences with weights")
    move: Move | None = Field(default=None, description="when an assignment in the lock is left")
    spot: Spot | None = Field(default=None, description="when a price may move work away from its data")


class GuardrailMatch(InputModel):
    """Which rendered objects a guardrail looks at; absent lists match all."""

    kinds: tuple[Text, ...] = Field(strict=False, min_length=1, description="kinds")
    groups: tuple[Text, ...] = seq("API groups")
    namespaces: tuple[Text, ...] = seq("namespaces")
    clusters: tuple[Text, ...] = seq("clusters")
    labels: dict[Text, Text] = Field(default_factory=dict, description="labels that the object must carry")


class Validation(InputModel):
    """One thing that must hold."""

    expression: Text = Field(description="CEL over object, cluster, fleet, tenant, intent, and oldObject")
    message: Text | None = Field(default=None, description="what a person reads when it does not hold")
    message_expression: Text | None = Field(default=None, description="CEL: the message")
    reason: Literal["Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"] | None = Field(
        default=None, description="reason in the API server's terms, for the exported policy"
    )


class Variable(InputModel):
    """A named expression."""

    name: Annotated[Text, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = Field(
        description="name, read as variables.NAME"
    )
    expression: Text = Field(description="CEL")


class MatchCondition(InputModel):
    """A condition under which the guardrail applies."""

    name: Name = Field(description="name of the condition")
    expression: Text = Field(description="CEL: whether it applies")


class GuardrailPolicySpec(InputModel):
    """What every rendered object must satisfy."""

    match: GuardrailMatch = Field(description="which objects")
    match_conditions: tuple[MatchCondition, ...] = seq("further conditions in CEL; else not applicable")
    variables: tuple[Variable, ...] = seq("named expressions")
    validations: tuple[Validation, ...] = Field(strict=False, min_length=1, description="what must hold")
    level: Literal["error", "warning", "note"] = Field(default="error", description="level of its findings")
    mandatory: bool = Field(default=False, description="whether exemptions are refused")


class ExemptionEntry(InputModel):
    """Recorded, reasoned, expiring permission to break a rule."""

    rule: Text = Field(description="rule code or name, or a guardrail's name")
    subject: Text = Field(default="*", description="what is exempt: KIND/NAME, NAMESPACE/KIND/NAME, or `*`")
    clusters: tuple[Text, ...] = seq("clusters; empty means all")
    reason: Text = Field(min_length=3, description="why")
    expires: Timestamp = Field(description="until when (RFC 3339)")


class ExemptionSpec(InputModel):
    """A list of exemptions."""

    exemptions: tuple[ExemptionEntry, ...] = Field(strict=False, min_length=1, description="the exemptions")


class RuleLevelsSpec(InputModel):
    """Levels of lint rules."""

    levels: dict[Text, Literal["off", "note", "warn", "error"]] = Field(description="level by code or name")


class SharedField(InputModel):
    """A field that two writers may share."""

    kind: Text = Field(description="kind")
    field: Text = Field(description="field path")
    writers: tuple[Text, ...] = Field(strict=False, min_length=2, description="atlas writers that may share it")
    reason: Text = Field(min_length=3, description="why that settles")


class OwnershipPolicySpec(InputModel):
    """Which fields may be shared, with reasons."""

    shared_fields: tuple[SharedField, ...] = seq("fields that two writers may share")


class FailoverPolicySpec(InputModel):
    """What happens when a cluster is lost."""

    toleration: Duration = Field(default="5m", description="time a cluster may be silent before work moves (duration)")
    grace_period: Duration = Field(default="10m", description="time the old copy may go on (duration)")
    purge: Literal["Directly", "Gracefully", "Never"] = Field(default="Gracefully", description="how the old copy goes")


class Wave(InputModel):
    """A step of a rollout."""

    name: Name = Field(description="name of the wave")
    clusters: tuple[ClusterName, ...] = Field(strict=False, min_length=1, description="clusters of the wave")


class RolloutPolicySpec(InputModel):
    """In which order clusters get a change."""

    waves: tuple[Wave, ...] = Field(strict=False, min_length=1, description="waves in order")


class ComponentSelector(InputModel):
    """Which clusters get a component."""

    roles: tuple[Role, ...] = seq("roles, any of them")
    clusters: tuple[ClusterName, ...] = seq("clusters by name")
    labels: dict[Text, Text] = Field(default_factory=dict, description="labels, all of them")
    environments: tuple[Text, ...] = seq("environments, any of them")


class ComponentOverride(InputModel):
    """What differs on some clusters."""

    clusters: tuple[ClusterName, ...] = Field(strict=False, min_length=1, description="the clusters")
    values: dict[Text, Any] = Field(description="values that replace the component's")


class ComponentSpec(InputModel):
    """A piece of the platform baseline."""

    selector: ComponentSelector = Field(
        default=ComponentSelector.model_construct(), description="which clusters; empty means all"
    )
    manifests: Text = Field(description="folder or file of manifests or templates, from the workspace's root")
    values: dict[Text, Any] = Field(default_factory=dict, description="values of the templates, under `values`")
    overrides: tuple[ComponentOverride, ...] = seq("what differs on some clusters")
    version: Text | None = Field(default=None, description="version of the component (informative)")
    wave: Annotated[int, Field(ge=0, le=9)] = Field(default=0, description="order among components")
    delivery: Literal["gitops", "karmada"] | None = Field(
        default=None, description="delivery owner; absent: planes table"
    )
