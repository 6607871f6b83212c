"""Tenant and Artifact: who may ask, and what they work with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stowplan.model.inputs.base import ClusterName, Digest, InputModel, Name, Quantity, Text, seq
from stowplan.model.inputs.fleet import FairSharing

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


class TenantSpec(InputModel):
    """Who may ask for what."""

    namespaces: tuple[Name, ...] = Field(strict=False, min_length=1, description="namespaces, each of one tenant only")
    groups: tuple[Text, ...] = seq("identity groups of the tenant's users")
    cohort: Name | None = Field(default=None, description="Cohort to borrow from")
    priorities: tuple[Name, ...] = Field(strict=False, min_length=1, description="priorities the tenant may use")
    data_classes: tuple[Text, ...] = seq("classes of data the tenant may read")
    allow: Allow = Field(default=Allow(), description="where the tenant may go")
    quota: tuple[QuotaRow, ...] = seq("accelerators by flavor and cluster")
    budget: Budget | None = Field(default=None, description="money a month")
    fair_sharing: FairSharing | None = Field(default=None, description="weight against the cohort's other queues")


class Location(InputModel):
    """A copy."""

    cluster: ClusterName | None = Field(
        default=None, description="the Cluster it lies in; absent: reachable from every cluster"
    )
    uri: Text = Field(min_length=1, description="where the copy lies")


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
