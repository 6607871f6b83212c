"""Pods that the namespace they are rendered into would not let in: the job or service would be there and never run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stowplan.diagnostics.model import Diagnostic, Label, Severity
from stowplan.model.manifest import Target
from stowplan.model.rendered import RenderedObject
from stowplan.passes.provenance import asked_for, origin_of_field
from stowplan.policies.pods import POD_KINDS, Steps
from stowplan.schema.builtin.podsecurity import Violation, evaluate, levels_of
from stowplan.schema.sets import SchemaSet
from stowplan.source.span import Origin, Pointer
from stowplan.templates.engine import TemplateSet

__all__ = ["pod_security"]

_MOST_TRACED: Final = 400
_MARK: Final = "pod-security.kubernetes.io/enforce"


@dataclass(frozen=True, slots=True)
class _Finding:
    """What one field of one template makes inadmissible, so that many clusters make one finding."""

    message: str
    origin: Origin
    label: str
    subject: str
    beside: tuple[Label, ...]


def pod_security(
    objects: Sequence[RenderedObject], schemas_for: Callable[[Target], SchemaSet], templates: TemplateSet
) -> tuple[Diagnostic, ...]:
    """Findings on pod templates that break the standard which their rendered Namespace enforces on that API server."""
    spaces = _enforcing(objects)
    targets: dict[_Finding, dict[str, None]] = {}
    known: dict[tuple[int, str, int], tuple[tuple[Pointer, Violation], ...]] = {}
    number = 0
    for made in objects:
        paths = POD_KINDS.get((made.api_version.rpartition("/")[0], made.kind))
        labels = spaces.get((made.unit.target.name, made.namespace or "")) if paths else None
        if labels is None or not paths:
            continue
        standard, minor = levels_of(labels).enforce, schemas_for(made.unit.target).minor
        key = (id(made.rendered), str(standard), minor)
        if key not in known:
            known[key] = tuple(
                (pointer, one)
                for pointer, pod in _templates(made.object, paths)
                for one in evaluate(pod, standard, minor)
            )
        for pointer, violation in known[key]:
            number += 1
            finding = _finding(made, str(standard), pointer, violation, templates if number <= _MOST_TRACED else None)
            targets.setdefault(finding, {})[made.unit.target.name] = None
    return tuple(
        Diagnostic(
            "SP0840", Severity.ERROR, finding.message, Label(finding.origin, finding.label), finding.beside,
            helps=("let the pods ask for less, or run them in a namespace that enforces less",),
            subject=finding.subject, targets=tuple(sorted(names)),
        )
        for finding, names in targets.items()
    )  # fmt: skip


def _enforcing(objects: Iterable[RenderedObject]) -> dict[tuple[str, str], Mapping[str, str]]:
    """Labels of the rendered Namespaces that enforce something, by API server and name."""
    found = {}
    for made in objects:
        if made.kind == "Namespace" and made.api_version == "v1":
            labels = made.object["metadata"].get("labels") or {}
            if labels.get(_MARK, "privileged") != "privileged":
                found[made.unit.target.name, made.name] = labels
    return found


def _templates(made: Mapping[str, Any], paths: Iterable[Steps]) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    for path in paths:
        for pointer, pod in _below(made, path, ()):
            if isinstance(pod, Mapping) and _is_plain(pod):
                yield pointer, pod


def _below(value: Any, steps: Steps, pointer: Pointer) -> Iterator[tuple[Pointer, Any]]:
    if not steps:
        yield pointer, value
    elif steps[0] == "*":
        rows: Iterable[tuple[str | int, Any]] = (
            value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, item in rows:
            yield from _below(item, steps[1:], (*pointer, key))
    elif isinstance(value, Mapping) and steps[0] in value:
        yield from _below(value[steps[0]], steps[1:], (*pointer, steps[0]))


def _is_plain(pod: Mapping[str, Any]) -> bool:
    """Whether it is of the shape of a Pod: a custom kind may keep whatever is given, and its controller would complain."""
    spec = pod.get("spec")
    if not isinstance(spec, Mapping) or not isinstance(pod.get("metadata", {}), Mapping):
        return False
    lists = [spec.get(name) or [] for name in ("containers", "initContainers", "ephemeralContainers", "volumes")]
    return all(isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows) for rows in lists)


def _finding(
    made: RenderedObject, standard: str, pointer: Pointer, violation: Violation, templates: TemplateSet | None
) -> _Finding:
    at = (*pointer, *violation.pointer)
    origin = origin_of_field(made, at, templates) if templates is not None else made.manifest.origins[()]
    subject = f"{made.namespace}/{made.kind}/{made.name}" if made.namespace else f"{made.kind}/{made.name}"
    message = f"namespace `{made.namespace}` would not let in the pods of {made.kind} `{made.name}`: {standard} forbids {violation}"
    return _Finding(
        message, origin, f"rendered by `{made.manifest.template}`", subject, asked_for(made.manifest, origin)
    )
