"""Exemption documents: recorded, reasoned, expiring permission to break a guardrail or a lint rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from stowplan.diagnostics.model import Diagnostic, error, warning
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.model.fleet import Fleet
from stowplan.model.inputs.policies import ExemptionEntry
from stowplan.rules.model import Level
from stowplan.rules.registry import REGISTRY
from stowplan.source.span import Origin

__all__ = ["Exemptions", "read_exemptions"]


@dataclass(frozen=True, slots=True)
class _Grant:
    """One entry that counts; `key` is a code, or the name of a guardrail without one."""

    key: str
    entry: ExemptionEntry
    origin: Origin

    def covers(self, subject: str, cluster: str) -> bool:
        """Whether it is about this subject (`KIND/NAME` or `NAMESPACE/KIND/NAME`) on this cluster."""
        if self.entry.clusters and cluster not in self.entry.clusters:
            return False
        return _fits(self.entry.subject, subject)


def _fits(pattern: str, subject: str) -> bool:
    if pattern == "*":
        return True
    wanted, given = pattern.split("/"), subject.split("/")
    if len(wanted) == 2 and len(given) == 3:
        given = given[1:]
    return len(wanted) == len(given) and all(w in ("*", g) for w, g in zip(wanted, given, strict=True))


class Exemptions:
    """The entries that count as of the fleet's time; remembers which were of use."""

    def __init__(self, grants: Iterable[_Grant], documents: Mapping[tuple[str, int], str]) -> None:
        """`documents` names the subject of findings in an input document, by its file and number."""
        self._grants = tuple(grants)
        self._documents = documents
        self._by_key: dict[str, list[_Grant]] = {}
        for grant in self._grants:
            self._by_key.setdefault(grant.key, []).append(grant)
        self._used: set[int] = set()

    def allows(self, names: Iterable[str], subject: str, cluster: str) -> bool:
        """Whether a guardrail (known by these names) may be broken by an object on a cluster; notes the use."""
        found = False
        for name in names:
            for grant in self._by_key.get(name, ()):
                if grant.covers(subject, cluster):
                    self._used.add(id(grant))
                    found = True
        return found

    def apply(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The findings that stay; of a finding on several clusters, those that no entry covers."""
        return tuple(kept for kept in map(self._apply, diagnostics) if kept is not None)

    def _apply(self, diagnostic: Diagnostic) -> Diagnostic | None:
        grants = self._by_key.get(diagnostic.code)
        if not grants:
            return diagnostic
        subject = self._subject(diagnostic)
        if not diagnostic.targets:
            hits = [g for g in grants if not g.entry.clusters and _fits(g.entry.subject, subject)]
            self._used.update(map(id, hits))
            return None if hits else diagnostic
        left = []
        for cluster in diagnostic.targets:
            hits = [g for g in grants if g.covers(subject, cluster)]
            self._used.update(map(id, hits))
            left += [] if hits else [cluster]
        return (
            (replace(diagnostic, targets=tuple(left)) if len(left) < len(diagnostic.targets) else diagnostic)
            if left
            else None
        )

    def _subject(self, diagnostic: Diagnostic) -> str:
        """The input document that it points into; for a place in a template, the one that it was rendered for."""
        for at in (diagnostic.primary.at, *(label.at for label in diagnostic.secondary)):
            if not isinstance(at, Origin):
                break
            if not at.is_text:
                return self._documents.get((at.path, at.document), diagnostic.subject or "")
        return diagnostic.subject or ""

    def unused(self) -> tuple[Diagnostic, ...]:
        """One warning for each entry that nothing needed."""
        return tuple(
            warning(
                "SP1222",
                f"unused exemption from `{grant.entry.rule}`: nothing that it covers breaks that rule",
                grant.origin / "rule",
                helps=("remove it",),
            )
            for grant in self._grants
            if id(grant) not in self._used
        )


def read_exemptions(fleet: Fleet, guardrails: Mapping[str, bool]) -> tuple[Exemptions, tuple[Diagnostic, ...]]:
    """The exemptions as of the fleet's time, and what is wrong with them.

    `guardrails` says of each guardrail, by its name or code, whether it is mandatory.
    """
    found: list[Diagnostic] = []
    grants = []
    for document in fleet.policies.exemptions:
        for index, entry in enumerate(document.spec.exemptions):
            at = document.at("exemptions", index)
            key = _key(entry, at, guardrails, found)
            if key is None:
                continue
            expires = datetime.fromisoformat(entry.expires.replace("Z", "+00:00"))
            if expires <= fleet.as_of:
                as_of = fleet.as_of.strftime("%Y-%m-%dT%H:%M:%SZ")
                text = f"exemption from `{entry.rule}` expired on {entry.expires}"
                notes = (f"judged as of {as_of}",)
                helps = ("fix what it allowed and remove it, or renew it with a reason",)
                found.append(warning("SP1221", text, at / "expires", notes=notes, helps=helps))
                continue
            grants.append(_Grant(key, entry, at))
    return Exemptions(grants, _documents(fleet)), tuple(found)


def _key(entry: ExemptionEntry, at: Origin, guardrails: Mapping[str, bool], found: list[Diagnostic]) -> str | None:
    """What the entry's rule is known by; None, and a finding, where it cannot be exempted from."""
    name = entry.rule
    upper = name.upper()
    known = name if name in guardrails else upper if upper in guardrails else None
    if known is not None:
        if guardrails[known]:
            text = f"guardrail `{name}` is mandatory: it takes no exemptions"
            found.append(error("SP1224", text, at / "rule", helps=("remove the exemption and fix what it allows",)))
            return None
        return known
    page = REGISTRY.find(name)
    if page is None:
        helps = did_you_mean(name, [*REGISTRY.codes_by_name, *guardrails])
        found.append(error("SP1223", f"exemption from unknown rule `{name}`", at / "rule", helps=helps))
        return None
    if not page.rule.configurable and page.rule.default is Level.ERROR:
        text = f"rule `{name}` takes no exemptions: the compiler cannot go on without what it asks for"
        found.append(error("SP1224", text, at / "rule"))
        return None
    return page.rule.code


def _documents(fleet: Fleet) -> dict[tuple[str, int], str]:
    """`Kind/name` of every input document that findings may point into."""
    policies = fleet.policies
    entities = [
        fleet.entity, *(c.entity for c in fleet.clusters.values()), *fleet.flavors.values(), *fleet.cohorts.values(),
        *fleet.tenants.values(), *fleet.artifacts.values(), *(w.entity for w in fleet.workloads), *fleet.components,
        *policies.placement, *policies.ownership, *policies.guardrails, *policies.failover, *policies.rollout,
        *(c.snapshot for c in fleet.clusters.values() if c.snapshot is not None),
    ]  # fmt: skip
    return {(e.origin.path, e.origin.document): f"{e.kind}/{e.name}" for e in entities}
