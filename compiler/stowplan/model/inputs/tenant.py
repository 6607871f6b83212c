"""Tenant and Artifact: who may ask, and what they work with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stowplan.model.inputs.base import ClusterName, Digest, InputModel, Name, Quantity, Text, seq
from stowplan.model.inputs.fleet import FairSharing
from stowplan.model.inputs.forms import Uri

__all__ = ["ArtifactSpec", "Location", "QuotaRow", "TenantSpec"]


class Allow(InputModel):
    """Where a tenant may go; an absent list means everywhere."""

    jurisdictions: tuple[Text, ...] | None = Field(default=None, strict=False, description="jurisdictions")
    regions: tuple[Name, ...] | None = Field(default=None, strict=False, description="regions")
    clusters: tuple[ClusterName, ...] | None = Field(default=None, strict=False, description="clusters")
    flavors: tuple[Name, ...] | None = Field(default=None, strict=False, description="flavors")
    environments: tuple[Text, ...] | None = Field(default=None, strict=False, description="environments")


class QuotaRow(InputModel):
    """Accelerators of a flavor; cpu and memory follow from the node's shape."""

    flavor: Name = Field(description="the Flavor")
    cluster: Text = Field(description="a Cluster, or `*` for each that has the flavor")
    nominal: int = Field(ge=0, le=10_000_000, description="accelerators in each cluster named")
    borrowing_limit: int | None = Field(
        default=None, ge=0, description="accelerators that may be borrowed; absent: no limit"
    )
    lending_limit: int | None = Field(default=None, ge=0, description="accelerators that may be lent; absent: all")


class Budget(InputModel):
    """Money."""

    amount: float = Field(ge=0, description="fleet currency")
    per: Literal["month"] = Field(default="month", description="period of the amount")


class Fungibility(InputModel):
    """What Kueue tries when a flavor is full."""

    when_can_borrow: Literal["MayStopSearch", "TryNextFlavor"] = Field(
        default="MayStopSearch", description="borrow in this flavor, or look at the next one first"
    )
    when_can_preempt: Literal["MayStopSearch", "TryNextFlavor"] = Field(
        default="TryNextFlavor", description="preempt in this flavor, or look at the next one first"
    )
    preference: Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"] | None = Field(
        default=None,
        description="which of the two counts more when every flavor needs one; both must try the next flavor",
    )


class BorrowPreemption(InputModel):
    """Preemption by work that borrows (not with fair sharing)."""

    policy: Literal["Never", "LowerPriority"] = Field(default="Never", description="whom borrowing work may preempt")
    max_priority: int | None = Field(default=None, description="highest priority that may be preempted so")


class Preemption(InputModel):
    """Who may be preempted for the tenant's work."""

    within_queue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] = Field(
        default="LowerPriority", description="of the tenant's own work"
    )
    reclaim: Literal["Never", "LowerPriority", "Any"] = Field(
        default="Any", description="of others that run on quota borrowed from the tenant"
    )
    borrow: BorrowPreemption = Field(
        default=BorrowPreemption.model_construct(), description="by work that borrows itself"
    )


class Queueing(InputModel):
    """How the tenant's ClusterQueues admit work."""

    strategy: Literal["BestEffortFIFO", "StrictFIFO"] = Field(
        default="BestEffortFIFO", description="whether work that does not fit lets later work pass"
    )
    flavor_order: tuple[Name, ...] = seq("flavors, preferred first; the rest follow by capacity type and price")
    fungibility: Fungibility = Field(
        default=Fungibility.model_construct(), description="what is tried when a flavor is full"
    )
    preemption: Preemption = Field(default=Preemption.model_construct(), description="who may be preempted")
    stop: Literal["None", "Hold", "HoldAndDrain"] = Field(
        default="None", description="Hold admits nothing new, HoldAndDrain also evicts what runs"
    )


class TenantSpec(InputModel):
    """Who may ask for what."""

    namespaces: tuple[Name, ...] = Field(strict=False, min_length=1, description="namespaces, each of one tenant only")
    groups: tuple[Text, ...] = seq("identity groups of the tenant's users")
    cohort: Name | None = Field(default=None, description="Cohort to borrow from")
    priorities: tuple[Name, ...] = Field(strict=False, min_length=1, description="priorities the tenant may use")
    data_classes: tuple[Text, ...] = seq("classes of data the tenant may read")
    allow: Allow = Field(default=Allow.model_construct(), description="where the tenant may go")
    quota: tuple[QuotaRow, ...] = seq("accelerators by flavor and cluster")
    budget: Budget | None = Field(default=None, description="money a month")
    fair_sharing: FairSharing | None = Field(default=None, description="weight against the cohort's other queues")
    queueing: Queueing = Field(default=Queueing.model_construct(), description="how the tenant's queues admit work")


class Location(InputModel):
    """A copy."""

    cluster: ClusterName | None = Field(
        default=None, description="the Cluster it lies in; absent: reachable from every cluster"
    )
    uri: Uri = Field(description="where the copy lies")


class ArtifactSpec(InputModel):
    """A dataset, model, or image of one immutable version."""

    type: Literal["dataset", "model", "image", "checkpoint"] = Field(description="what it is")
    version: Text = Field(description="version name")
    digest: Digest = Field(description="content digest")
    size: Quantity = Field(description="bytes, as a quantity")
    data_class: Text = Field(default="public", description="class of data")
    residency: tuple[Text, ...] | None = Field(
        default=None, strict=False, description="jurisdictions it may not leave; absent: free to go anywhere"
    )
    locations: tuple[Location, ...] = Field(strict=False, min_length=1, description="copies")
