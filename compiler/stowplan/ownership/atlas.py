"""The atlas of run-time writers: which controller writes which field of which object, on what condition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from stowplan.ownership.pattern import FieldPattern, PatternError, parse_pattern
from stowplan.ownership.rendered import ClusterFacts, RenderedObject, group_of
from stowplan.ownership.versions import version_in_range

__all__ = ["Atlas", "AtlasError", "AtlasRow", "PlaneRow", "load_atlas", "read_atlas"]

_HOW: Final = frozenset({"apply", "update", "webhook", "subresource", "status", "default", "admission", "create"})
_SHARING: Final = frozenset({"never", "tolerated", "status"})
_ROW_KEYS: Final = frozenset(
    {"id", "controller", "managers", "kinds", "select", "fields", "how", "when", "sharing", "evidence", "cure",
     "retained", "keeps"}
)  # fmt: skip
_SELECT_KEYS: Final = frozenset({"labels", "annotations", "scaledBy", "delivered", "has", "equals", "names"})
_WHEN_KEYS: Final = frozenset({"component", "version", "without", "engine", "hub", "notHub", "anyComponent"})


class AtlasError(ValueError):
    """An atlas file that is not as it should be; the text names file, row and fault."""


@dataclass(frozen=True, slots=True)
class AtlasRow:
    """One writer of some fields.

    `how` is the way of writing: `apply`, `update`, `webhook` (mutating admission, leaves no owner), `subresource`,
    `status`, `default` (the API server), `admission` (built-in), or `create` (the controller makes the whole object).
    `sharing` is `never` (Git may not render the field), `tolerated` (both may write: the controller only fills what is
    absent, or restores what Git says) or `status`. `retained` says that Karmada keeps the member's value; `keeps`, that a tolerated
    writer puts back the very value that Git renders, so that an engine must not ignore the field.
    """

    id: str
    controller: str
    managers: tuple[str, ...]
    kinds: tuple[str, ...]
    select: Mapping[str, Any]
    patterns: tuple[FieldPattern, ...]
    how: str
    when: Mapping[str, Any]
    sharing: str
    evidence: str
    cure: str
    retained: bool
    keeps: bool = False

    @property
    def changes_values(self) -> bool:
        """Whether the live value may be another one than Git's: not where the writer only fills in or puts back."""
        return not (self.sharing == "tolerated" and (self.keeps or self.how not in ("update", "apply", "subresource")))

    @property
    def whole(self) -> bool:
        """Whether the object as such is the controller's."""
        return self.patterns[0].whole

    def __hash__(self) -> int:
        return hash(self.id)

    def applies_to_kind(self, api_version: str, kind: str) -> bool:
        """Whether the row speaks of such objects: kinds are `group/Kind` globs, the core group is `/Kind`."""
        name = f"{group_of(api_version)}/{kind}"
        return any(pattern == name or fnmatchcase(name, pattern) for pattern in self.kinds)

    def holds_on(self, facts: ClusterFacts) -> bool:
        """Whether the cluster is one where this writer is at work."""
        when = self.when
        if "engine" in when and facts.engine != when["engine"]:
            return False
        if "hub" in when and facts.hub != when["hub"]:
            return False
        if "notHub" in when and facts.hub == when["notHub"]:
            return False
        if "without" in when and when["without"] in facts.components:
            return False
        if "anyComponent" in when and not any(name in facts.components for name in when["anyComponent"]):
            return False
        if "component" not in when:
            return True
        version = facts.components.get(when["component"])
        return version is not None and version_in_range(version, when.get("version", ""))

    def selects(self, candidate: RenderedObject, scalers: Iterable[str]) -> bool:
        """Whether this very object is one that the writer touches; `scalers` are the kinds of what scales it."""
        select = self.select
        if not select:
            return True
        return (
            _has_entries(candidate.metadata_map("labels"), select.get("labels"))
            and _has_entries(candidate.metadata_map("annotations"), select.get("annotations"))
            and ("delivered" not in select or candidate.delivered_by == select["delivered"])
            and ("scaledBy" not in select or any(kind in select["scaledBy"] for kind in scalers))
            and ("names" not in select or any(fnmatchcase(candidate.name, glob) for glob in select["names"]))
            and all(_value_at(candidate.object, path) is not None for path in select.get("has", ()))
            and all(_value_at(candidate.object, path) == wanted for path, wanted in select.get("equals", {}).items())
        )


@dataclass(frozen=True, slots=True)
class PlaneRow:
    """Kinds by which the owner of a plane is recognised: rendering one means that `owners` are at work in `plane`."""

    plane: str
    kinds: tuple[str, ...]
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Atlas:
    """All rows, sorted by id."""

    rows: tuple[AtlasRow, ...]
    planes: tuple[PlaneRow, ...] = ()

    def rows_on(self, facts: ClusterFacts) -> tuple[AtlasRow, ...]:
        """The rows whose controllers are at work in a cluster."""
        return tuple(row for row in self.rows if row.holds_on(facts))


@lru_cache(maxsize=1)
def load_atlas() -> Atlas:
    """The atlas that ships with the compiler.

    Raises:
        AtlasError: a shipped file is broken.
    """
    folder = resources.files("stowplan") / "data" / "atlas"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    return read_atlas((name, (folder / name).read_text(encoding="utf-8")) for name in names)


def read_atlas(files: Iterable[tuple[str, str]]) -> Atlas:
    """The atlas in these (file name, text) pairs.

    Raises:
        AtlasError: unknown keys, missing values, a repeated id, or an unreadable pattern.
    """
    rows: dict[str, AtlasRow] = {}
    planes: list[PlaneRow] = []
    for name, text in files:
        data = _parse(name, text)
        for position, entry in enumerate(data.get("rows") or ()):
            row = _row(f"{name} row {position}", entry)
            if row.id in rows:
                raise AtlasError(f"{name}: the id {row.id!r} is taken")
            rows[row.id] = row
        planes += [_plane(f"{name} plane {i}", entry) for i, entry in enumerate(data.get("planes") or ())]
    return Atlas(tuple(rows[identifier] for identifier in sorted(rows)), tuple(planes))


def _parse(name: str, text: str) -> Mapping[str, Any]:
    import yaml

    try:
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as problem:
        raise AtlasError(f"{name}: {problem}") from None
    if not isinstance(data, dict) or set(data) - {"rows", "planes"}:
        raise AtlasError(f"{name}: an atlas file has `rows` and `planes` only")
    return data


def _row(where: str, entry: Any) -> AtlasRow:
    if not isinstance(entry, dict) or set(entry) - _ROW_KEYS:
        raise AtlasError(f"{where}: unknown keys {sorted(set(entry) - _ROW_KEYS)}")
    required = ("id", "controller", "kinds", "fields", "how", "evidence", "cure")
    for key in required:
        if not entry.get(key):
            raise AtlasError(f"{where}: `{key}` is missing")
    select, when = entry.get("select") or {}, entry.get("when") or {}
    if set(select) - _SELECT_KEYS or set(when) - _WHEN_KEYS:
        raise AtlasError(
            f"{where}: unknown conditions {sorted((set(select) - _SELECT_KEYS) | (set(when) - _WHEN_KEYS))}"
        )
    how, sharing = entry["how"], entry.get("sharing", "never")
    if how not in _HOW or sharing not in _SHARING:
        raise AtlasError(f"{where}: `how` is {how!r}, `sharing` is {sharing!r}")
    return AtlasRow(
        entry["id"], entry["controller"], tuple(entry.get("managers") or ()), tuple(entry["kinds"]), select,
        _patterns(where, entry["fields"]), how, when, sharing, entry["evidence"], " ".join(entry["cure"].split()),
        bool(entry.get("retained", False)), bool(entry.get("keeps", False)),
    )  # fmt: skip


def _patterns(where: str, texts: Any) -> tuple[FieldPattern, ...]:
    try:
        return tuple(parse_pattern(text) for text in texts)
    except PatternError as problem:
        raise AtlasError(f"{where}: {problem}") from None


def _plane(where: str, entry: Any) -> PlaneRow:
    if not isinstance(entry, dict) or set(entry) != {"plane", "kinds", "owners"}:
        raise AtlasError(f"{where}: a plane has `plane`, `kinds` and `owners`")
    return PlaneRow(entry["plane"], tuple(entry["kinds"]), tuple(entry["owners"]))


def _has_entries(present: Mapping[str, Any], wanted: Mapping[str, str] | None) -> bool:
    if not wanted:
        return True
    if not present:
        return False
    return all(_has_entry(present, glob, value) for glob, value in wanted.items())


def _has_entry(present: Mapping[str, Any], glob: str, value: str) -> bool:
    if "*" not in glob:
        return glob in present and (value == "*" or fnmatchcase(str(present[glob]), value))
    return any(fnmatchcase(key, glob) and fnmatchcase(str(present[key]), value) for key in present)


def _value_at(data: Any, path: str) -> Any:
    """The value at a dotted path of fields, None where there is none."""
    for name in path.split("."):
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data
