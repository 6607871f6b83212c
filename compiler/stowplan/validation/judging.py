"""Judges objects one by one: which kind, which schema, the server's verdict, and where each cause stands in the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from stowplan.schema.builtin import Surroundings, judge_builtin, normalise_builtin
from stowplan.schema.builtin.neighbourhood import CONTEXT_KINDS, NOTHING_KNOWN, Neighbourhood, with_object
from stowplan.schema.kind import KindSchema
from stowplan.schema.sets import SchemaSet
from stowplan.schema.verdict import FieldError, Verdict
from stowplan.source.api_json import SpeltInt
from stowplan.source.span import Pointer, Span
from stowplan.validation.reading import Item

__all__ = ["ACCEPTED", "REFUSED", "UNKNOWN_KIND", "Judge", "PlacedError", "Result"]

ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
UNKNOWN_KIND: Final = "unknown-kind"


@dataclass(frozen=True, slots=True)
class PlacedError:
    """One cause of a refusal and its place, None where the text has none."""

    cause: FieldError
    place: Span | None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one object; `stored` is the object as the server would keep it, None where it is refused."""

    item: Item
    api_version: str
    kind: str
    namespace: str
    name: str
    verdict: str
    code: int
    errors: tuple[PlacedError, ...] = ()
    warnings: tuple[str, ...] = ()
    stored: dict[str, Any] | None = None

    @property
    def accepted(self) -> bool:
        """Whether the server would take the object."""
        return self.verdict == ACCEPTED


class Judge:
    """The server of one Kubernetes minor with some custom kinds.

    `strict` is the server's field validation; `namespace` counts for objects that name none. `old` are objects as
    they are now: what has one there is judged as an update. `context` are objects that the cluster has: what its
    namespaces, limits, and quotas say counts. `beside` are those to be judged, as far as they can be read beforehand:
    where a Namespace is among them, it counts with all that comes for it; limits and quotas of a namespace that is
    there already are judged and nothing more.
    """

    def __init__(
        self,
        schemas: SchemaSet,
        *,
        namespace: str = "default",
        strict: bool = True,
        old: Iterable[Item] = (),
        context: Iterable[Item] = (),
        beside: Iterable[Item] = (),
    ) -> None:
        self._schemas, self._namespace, self._strict = schemas, namespace, strict
        self._seen: dict[str, Neighbourhood] = {}
        self._around: dict[str, Neighbourhood] = {}
        for items, counts in ((context, True), (beside, False)):
            for item in items:
                if isinstance(item.value, dict) and not item.fault:
                    self._take_in(item.value, counts=counts)
        self._old: dict[tuple[str, ...], dict[str, Any]] = {}
        for item in old:
            if isinstance(item.value, dict):
                self._old[self._identity(item.value)] = item.value

    def results(self, items: Iterable[Item]) -> Iterator[Result]:
        """The verdicts, in order."""
        return map(self.judge, items)

    def judge(self, item: Item) -> Result:
        """The verdict on one object."""
        value = item.value
        names = self._identity(value) if isinstance(value, dict) else ("", "", "", "")
        if item.fault:
            cause = FieldError("", "DecodeError", item.fault)
            return Result(item, *names, REFUSED, 400, (PlacedError(cause, item.place),))
        verdict, word = self._verdict(value, names, item.duplicates)
        errors = tuple(PlacedError(cause, _place(item, cause)) for cause in verdict.errors)
        return Result(item, *names, word, verdict.code, errors, verdict.warnings, verdict.stored)

    def _take_in(self, value: Mapping[str, Any], *, counts: bool = False) -> None:
        """Remember what admission asks of the namespace of a Namespace, LimitRange, or ResourceQuota."""
        if value.get("apiVersion") != "v1" or value.get("kind") not in CONTEXT_KINDS:
            return
        try:
            stored = normalise_builtin(value, self._schemas.minor)
        except (ValueError, RecursionError):
            return
        _, kind, namespace, name = self._identity(stored)
        place = name if kind == "Namespace" else namespace
        self._seen[place] = with_object(self._seen.get(place, NOTHING_KNOWN), stored)
        if counts or kind == "Namespace" or place in self._around:
            self._around[place] = self._seen[place]

    def _identity(self, value: Mapping[str, Any]) -> tuple[str, str, str, str]:
        """apiVersion, kind, namespace (that of the request where none is named and one is needed) and name."""
        metadata = value.get("metadata")
        meta = metadata if isinstance(metadata, dict) else {}
        api_version, kind = _text(value.get("apiVersion")), _text(value.get("kind"))
        namespace = _text(meta.get("namespace"))
        if not namespace and self._schemas.scope(api_version, kind) == "Namespaced":
            namespace = self._namespace
        return api_version, kind, namespace, _text(meta.get("name"))

    def _verdict(self, value: Any, names: tuple[str, ...], duplicates: tuple[Pointer, ...]) -> tuple[Verdict, str]:
        api_version, kind_name = names[0], names[1]
        kind = self._schemas.kind(api_version, kind_name) if api_version and kind_name else None
        old = self._old.get(names)
        if kind is None and api_version and kind_name:
            return self._unknown(api_version, kind_name), UNKNOWN_KIND
        if kind is None or not hasattr(kind, "facts"):
            verdict = self._builtin(value, old, duplicates, names[2])
        else:
            verdict = self._custom(value, kind, old, duplicates)
        return verdict, ACCEPTED if verdict.accepted else REFUSED

    def _builtin(
        self, value: Any, old: dict[str, Any] | None, duplicates: tuple[Pointer, ...], namespace: str
    ) -> Verdict:
        minor = self._schemas.minor
        if old is not None:
            try:
                old = normalise_builtin(old, minor)
            except ValueError:
                old = None
            else:
                if namespace:
                    old.setdefault("metadata", {}).setdefault("namespace", namespace)
        around = Surroundings(namespaces=self._around, has_classes=False) if self._around else None
        verdict = judge_builtin(
            value, minor, old, self._strict, namespace=namespace or None, duplicates=duplicates, surroundings=around
        )
        if verdict.stored is not None:
            self._take_in(verdict.stored)
        return verdict

    def _custom(
        self, value: dict[str, Any], kind: KindSchema, old: dict[str, Any] | None, duplicates: tuple[Pointer, ...]
    ) -> Verdict:
        try:
            value = _plain(self._placed(value, kind))
            before = None if old is None else kind.normalise(_plain(self._placed(old, kind)))
            verdict = kind.judge(value, before, self._strict)
        except RecursionError:
            return Verdict(400, (FieldError("", "DecodeError", "exceeded max depth"),))
        if not duplicates or not self._strict:
            return verdict
        repeated = tuple(
            FieldError(_path(pointer), "UnknownField", f'duplicate field "{_path(pointer)}"', pointer)
            for pointer in duplicates
        )
        return Verdict(400, (*repeated, *(verdict.errors if verdict.code == 400 else ())))

    def _placed(self, value: dict[str, Any], kind: KindSchema) -> dict[str, Any]:
        """The object with the namespace of the request where it names none."""
        metadata = value.get("metadata")
        if not kind.namespaced or not isinstance(metadata, dict) or metadata.get("namespace") not in (None, ""):
            return value
        return {**value, "metadata": {**metadata, "namespace": self._namespace}}

    def _unknown(self, api_version: str, kind: str) -> Verdict:
        group = api_version.rpartition("/")[0]
        served = self._schemas.versions(group, kind) if group else ()
        text = f"no kind `{kind}` is served in version `{api_version}`"
        if served:
            text += f"; served versions: {', '.join(f'{group}/{version}' for version in served)}"
        return Verdict(404, (FieldError("apiVersion", "NotFound", text, ("apiVersion",)),))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _path(pointer: Pointer) -> str:
    text = ""
    for step in pointer:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _plain(value: Any) -> Any:
    """Numbers as custom kinds are judged by: floats without their spelling."""
    kind = type(value)
    if kind is dict:
        return {key: _plain(item) for key, item in value.items()}
    if kind is list:
        return [_plain(item) for item in value]
    return float(value) if kind is SpeltInt else value


def _place(item: Item, cause: FieldError) -> Span | None:
    """The cause's place in the text: the key of an unknown field, the value of any other."""
    place = item.source.locate((*item.pointer, *cause.pointer), at_key=cause.reason == "UnknownField")
    return place if place is None else replace(place, path=item.source.path)
