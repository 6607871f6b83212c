"""The kinds of the input language by name, each with its model."""

from __future__ import annotations

from stowplan.model.inputs.base import API_VERSION, InputModel
from stowplan.model.inputs.cluster import ClusterSpec
from stowplan.model.inputs.fleet import CohortSpec, FlavorSpec, FleetSpec
from stowplan.model.inputs.intents import BatchIntentSpec, InferenceIntentSpec, TrainingIntentSpec, WorkspaceIntentSpec
from stowplan.model.inputs.inventory import InventorySnapshotSpec
from stowplan.model.inputs.policies import (
    ComponentSpec,
    ExemptionSpec,
    FailoverPolicySpec,
    GuardrailPolicySpec,
    OwnershipPolicySpec,
    PlacementPolicySpec,
    RolloutPolicySpec,
    RuleLevelsSpec,
)
from stowplan.model.inputs.tenant import ArtifactSpec, TenantSpec

__all__ = ["API_VERSION", "INTENT_KINDS", "SPEC_BY_KIND"]

SPEC_BY_KIND: dict[str, type[InputModel]] = {
    "Artifact": ArtifactSpec,
    "BatchIntent": BatchIntentSpec,
    "Cluster": ClusterSpec,
    "Cohort": CohortSpec,
    "Component": ComponentSpec,
    "Exemption": ExemptionSpec,
    "FailoverPolicy": FailoverPolicySpec,
    "Flavor": FlavorSpec,
    "Fleet": FleetSpec,
    "GuardrailPolicy": GuardrailPolicySpec,
    "InferenceIntent": InferenceIntentSpec,
    "InventorySnapshot": InventorySnapshotSpec,
    "OwnershipPolicy": OwnershipPolicySpec,
    "PlacementPolicy": PlacementPolicySpec,
    "RolloutPolicy": RolloutPolicySpec,
    "RuleLevels": RuleLevelsSpec,
    "Tenant": TenantSpec,
    "TrainingIntent": TrainingIntentSpec,
    "WorkspaceIntent": WorkspaceIntentSpec,
}

INTENT_KINDS = ("TrainingIntent", "BatchIntent", "InferenceIntent", "WorkspaceIntent")
