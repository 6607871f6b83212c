"""Everything Kueue: members' queues, the manager's candidate sets, and the jobs that go through them."""

from __future__ import annotations

from stowplan.diagnostics.model import Outcome
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest
from stowplan.model.plan import PlacementPlan
from stowplan.passes.lower.jobs.devices import workspace_templates
from stowplan.passes.lower.jobs.lower import lower_jobs
from stowplan.passes.lower.kueue.configuration import configuration_manifests
from stowplan.passes.lower.kueue.dispatch import dispatches
from stowplan.passes.lower.kueue.manager import lower_manager
from stowplan.passes.lower.kueue.members import lower_members
from stowplan.passes.lower.kueue.quotas import QuotaBasis
from stowplan.passes.placement.quotas import queue_quota

__all__ = ["lower_kueue"]


def lower_kueue(fleet: Fleet, plan: PlacementPlan) -> Outcome[tuple[Manifest, ...]]:
    """Members, manager, and jobs; what is dispatched where is worked out once for all three."""
    jobs = dispatches(fleet, plan)
    basis = QuotaBasis(fleet, queue_quota(plan))
    members = lower_members(fleet, basis, jobs)
    rendered = lower_jobs(fleet, jobs)
    manager = tuple(lower_manager(fleet, basis, jobs))
    found = (*jobs.diagnostics, *members.diagnostics, *rendered.diagnostics)
    configured = tuple(configuration_manifests(fleet, jobs))
    shares = tuple(workspace_templates(fleet, plan))
    return Outcome((*configured, *members.value, *manager, *rendered.value, *shares), found)
