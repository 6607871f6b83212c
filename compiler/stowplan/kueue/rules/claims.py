"""The rule on jobs whose pods claim devices: what Kueue counts, and what it never admits."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.kueue.claims import DeviceRequest, requests_of
from stowplan.kueue.podsets import PodSet, podsets_of
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import KueueTree, Side, spec_of
from stowplan.model.devices import ADMIN_ACCESS, CONSTRAINTS, COUNTS_CLAIMS, SELECTORS, counted_as, gate_off
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.amounts import accelerator_names
from stowplan.passes.lower.kueue.dialect import dialect_of

__all__ = ["CHECKS"]

_CODE = "SP2097"


def counted(tree: KueueTree) -> Iterator[Finding]:
    """SP2097: Kueue counts what a queued job's pods claim, on every API server that it passes."""
    for side in tree.sides.values():
        for job in side.jobs:
            queue = side.queue_of(job)
            places = (side.name, *(side.candidates(queue) if queue is not None else ()))
            for podset in podsets_of(job, side):
                if podset.pod.get("resourceClaims"):
                    yield from _references(job, podset)
                    yield from _twice(tree, job, podset)
                    for name in places:
                        place = tree.sides.get(name)
                        if place is not None:
                            yield from _on(job, podset, place, is_manager=name == side.name and len(places) > 1)


def _references(job: RenderedObject, podset: PodSet) -> Iterator[Finding]:
    for index, row in enumerate(podset.pod["resourceClaims"]):
        if row.get("resourceClaimName") is not None:
            yield problem(
                _CODE, job, (*podset.pointer, "spec", "resourceClaims", index),
                f"pods of {job.reference} share the ResourceClaim `{row['resourceClaimName']}`: Kueue counts templates only, and "
                "never admits the job",
                "name a ResourceClaimTemplate",
            )  # fmt: skip


def _twice(tree: KueueTree, job: RenderedObject, podset: PodSet) -> Iterator[Finding]:
    """Devices of one kind asked for in both ways."""
    for name in sorted(accelerator_names(tree.fleet).intersection(podset.requests())):
        yield warn(
            _CODE, job, (*podset.pointer, "spec"),
            f"pods of {job.reference} claim devices and ask for `{name}` besides: where that is the same device, it is counted "
            "and handed out twice",
            "leave the extended resource out",
        )  # fmt: skip


def _on(job: RenderedObject, podset: PodSet, side: Side, *, is_manager: bool) -> Iterator[Finding]:
    dialect = dialect_of(side.cluster)
    if dialect is None:
        return
    at = (*podset.pointer, "spec", "resourceClaims")
    release, where = dialect.version, f"Kueue {'.'.join(map(str, dialect.version))} on `{side.name}`"
    gate = None if release < COUNTS_CLAIMS else gate_off(side.cluster, release)
    if release < COUNTS_CLAIMS or gate is not None:
        why = f"gate {gate} is off" if gate is not None else "the first release that does is 0.14"
        yield problem(
            _CODE, job, at, f"pods of {job.reference} claim devices, and {where} does not count claims: {why}"
        )
        return
    for index, row in enumerate(podset.pod["resourceClaims"]):
        name = row.get("resourceClaimTemplateName")
        template = side.claim_templates.get((podset.namespace, str(name)))
        if name is not None and template is None:
            yield problem(
                _CODE, job, (*at, index, "resourceClaimTemplateName"),
                f"pods of {job.reference} name ResourceClaimTemplate `{name}`, which is not rendered in namespace "
                f"`{podset.namespace}` for `{side.name}`: the job is not admitted there",
                "MultiKueue copies no templates: render it for the manager and every worker",
            )  # fmt: skip
        elif template is not None:
            yield from _template(template, side, release, where, is_manager=is_manager)


def _template(
    template: RenderedObject, side: Side, release: tuple[int, int, int], where: str, *, is_manager: bool
) -> Iterator[Finding]:
    devices = (spec_of(template).get("spec") or {}).get("devices") or {}
    for part in ("constraints", "config"):
        if devices.get(part) and release < CONSTRAINTS:
            yield problem(
                _CODE, template, ("spec", "spec", "devices", part),
                f"{where} admits no job whose claims have `{part}`, as {template.reference} has: the first that does is 0.18.2",
            )  # fmt: skip
    for request in requests_of(template):
        yield from _request(template, request, side, release, where, is_manager=is_manager)


def _request(
    template: RenderedObject,
    request: DeviceRequest,
    side: Side,
    release: tuple[int, int, int],
    where: str,
    *,
    is_manager: bool,
) -> Iterator[Finding]:
    asked, at = request.exactly, request.pointer
    if asked is None:
        yield problem(
            _CODE, template, at, f"{template.reference} gives alternatives (`firstAvailable`), which {where} never admits",
            "ask for one class exactly",
        )  # fmt: skip
        return
    if asked.get("allocationMode", "ExactCount") != "ExactCount":
        yield problem(
            _CODE, template, (*at, "allocationMode"),
            f"{template.reference} asks for all devices that match, a number that {where} cannot count: it never admits the job",
            "ask for a count",
        )  # fmt: skip
    if asked.get("adminAccess") and release < ADMIN_ACCESS:
        yield problem(
            _CODE, template, (*at, "adminAccess"),
            f"{template.reference} asks for admin access to devices in use, which {where} never admits",
            "run what watches devices outside the queues",
        )  # fmt: skip
    elif asked.get("adminAccess"):
        return
    if asked.get("selectors") and (release < SELECTORS or is_manager):
        why = (
            "compares selectors with the devices of the manager's own cluster" if is_manager and release >= SELECTORS
            else "admits no claims with selectors: the first that does is 0.18"
        )  # fmt: skip
        yield problem(
            _CODE, template, (*at, "selectors"), f"{template.reference} has selectors, and {where} {why}",
            "give the devices a DeviceClass of their own, which selects them",
        )  # fmt: skip
    if counted_as(side.cluster.spec.kueue, request.device_class) is None:
        yield problem(
            _CODE, template, (*at, "deviceClassName"),
            f"{template.reference} asks for DeviceClass `{request.device_class}`, which {where} maps to no resource: the job is "
            "never admitted",
            f"state it in `kueue.deviceClasses` of cluster `{side.name}`",
        )  # fmt: skip


CHECKS = (counted,)
