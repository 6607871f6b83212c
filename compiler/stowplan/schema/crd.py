"""CustomResourceDefinitions as data: kinds over shared nodes, or complaints where a definition is malformed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from stowplan.schema.node import NodePool, intern_schema
from stowplan.schema.pack import KindFacts, Pack, PackSource
from stowplan.schema.structural import Complaint, complaints

__all__ = ["PackBuilder", "is_crd"]

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?\Z")
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,62}\Z")


def is_crd(value: Any) -> bool:
    """Whether a document is a CustomResourceDefinition of the API in use."""
    return (
        isinstance(value, Mapping)
        and value.get("kind") == "CustomResourceDefinition"
        and str(value.get("apiVersion")).startswith("apiextensions.k8s.io/")
    )


class PackBuilder:
    """Collects definitions into one pack. `rules=False` keeps facts only: no CEL rules, no upstream wording."""

    def __init__(self, *, rules: bool = True) -> None:
        self._rules = rules
        self.kinds: list[KindFacts] = []
        self.nodes: list[dict[str, Any]] = []
        self._known: dict[str, int] = {}
        self.sources: list[PackSource] = []

    def source(self, source: PackSource) -> int:
        """The number of a source, for the kinds that follow."""
        if source not in self.sources:
            self.sources.append(source)
        return self.sources.index(source)

    def extend(self, pack: Pack) -> None:
        """Take over all kinds of a pack, into an empty builder; equal nodes of later definitions are shared with it."""
        self.kinds, self.sources = list(pack.kinds), list(pack.sources)
        self.nodes = [pack.pool.facts(index) for index in range(len(pack.pool))]
        texts = (json.dumps(node, sort_keys=True, separators=(",", ":")) for node in self.nodes)
        self._known = {text: index for index, text in enumerate(texts)}

    def add(self, crd: Any, source: int = 0) -> tuple[Complaint, ...]:
        """Add all versions of a definition, or none and say why."""
        found = _envelope(crd)
        if found:
            return found
        kinds: list[KindFacts] = []
        problems: list[Complaint] = []
        for index, version in enumerate(crd["spec"]["versions"]):
            at = ("spec", "versions", index)
            problems += _version_complaints(version, at)
            if problems:
                continue
            schema = version["schema"]["openAPIV3Schema"]
            below = (*at, "schema", "openAPIV3Schema")
            problems += [Complaint((*below, *c.pointer), c.message, c.help) for c in complaints(schema)]
            if not problems:
                kinds.append(self._facts(crd, version, schema, source))
        if problems:
            return tuple(problems)
        self.kinds += kinds
        return ()

    def _facts(self, crd: Mapping[str, Any], version: Mapping[str, Any], schema: Any, source: int) -> KindFacts:
        spec, names = crd["spec"], crd["spec"]["names"]
        if not self._rules:
            schema = without_rules(schema)
        storage = next((v["name"] for v in spec["versions"] if v.get("storage")), "")
        return KindFacts(
            spec["group"], version["name"], names["kind"], names["plural"], spec["scope"] == "Namespaced",
            intern_schema(schema, self.nodes, self._known), bool(version.get("served")), storage,
            self._conversion(spec),
            (version.get("subresources") or {}).get("status") is not None,
            _scale(version), _deprecation(spec, names, version, worded=self._rules), source,
        )  # fmt: skip

    def _conversion(self, spec: Mapping[str, Any]) -> str:
        """How versions are converted.

        What a project publishes is often patched when installed, so a pack of facts does not claim that nothing is
        converted.
        """
        strategy = (spec.get("conversion") or {}).get("strategy")
        return str(strategy) if strategy else "None" if self._rules else "Unknown"

    def pack(self, name: str = "") -> Pack:
        """The pack in memory, without the detour over bytes."""
        return Pack(tuple(self.kinds), NodePool(self.nodes), tuple(self.sources), "", name)


def without_rules(schema: Any) -> Any:
    """A schema without CEL rules."""
    if isinstance(schema, Mapping):
        return {key: without_rules(value) for key, value in schema.items() if key != "x-kubernetes-validations"}
    return [without_rules(item) for item in schema] if isinstance(schema, list) else schema


def _scale(version: Mapping[str, Any]) -> tuple[str, str, str] | None:
    scale = (version.get("subresources") or {}).get("scale")
    if not isinstance(scale, Mapping):
        return None
    first, second, third = (
        str(scale.get(f"{k}Path") or "") for k in ("specReplicas", "statusReplicas", "labelSelector")
    )
    return first, second, third


def _deprecation(spec: Mapping[str, Any], names: Mapping[str, Any], version: Mapping[str, Any], *, worded: bool) -> str:
    if not version.get("deprecated"):
        return ""
    text = version.get("deprecationWarning") if worded else None
    return str(text) if text else f"{spec['group']}/{version['name']} {names['kind']} is deprecated"


def _envelope(crd: Any) -> tuple[Complaint, ...]:
    """What is wrong outside the schemas."""
    if not is_crd(crd):
        return (Complaint((), "this is not a CustomResourceDefinition"),)
    if crd["apiVersion"] != "apiextensions.k8s.io/v1":
        text = f"`{crd['apiVersion']}` is no longer served by any supported Kubernetes"
        return (Complaint(("apiVersion",), text, "use apiextensions.k8s.io/v1"),)
    spec = crd.get("spec")
    if not isinstance(spec, Mapping):
        return (Complaint(("spec",), "`spec` must be a mapping"),)
    names = spec["names"] if isinstance(spec.get("names"), Mapping) else {}
    found = []
    for value, pointer, pattern in (
        (spec.get("group"), ("spec", "group"), _NAME),
        (names.get("kind"), ("spec", "names", "kind"), _KIND),
        (names.get("plural"), ("spec", "names", "plural"), _NAME),
    ):
        if type(value) is not str or len(value) > 253 or not pattern.match(value):
            found.append(Complaint(pointer, f"`{'.'.join(pointer)}` is missing or malformed"))
    if spec.get("scope") not in ("Namespaced", "Cluster"):
        found.append(Complaint(("spec", "scope"), "`spec.scope` must be Namespaced or Cluster"))
    conversion = spec.get("conversion")
    if conversion is not None and not isinstance(conversion, Mapping):
        found.append(Complaint(("spec", "conversion"), "`spec.conversion` must be a mapping"))
    versions = spec.get("versions")
    if not isinstance(versions, list) or not versions or len(versions) > 100:
        found.append(Complaint(("spec", "versions"), "`spec.versions` must list between 1 and 100 versions"))
    return tuple(found)


def _version_complaints(version: Any, at: tuple[str | int, ...]) -> list[Complaint]:
    if not isinstance(version, Mapping):
        return [Complaint(at, "a version must be a mapping")]
    name = version.get("name")
    if type(name) is not str or not _NAME.match(name):
        return [Complaint((*at, "name"), "the version's name is missing or malformed")]
    schema = version.get("schema")
    if not isinstance(schema, Mapping) or schema.get("openAPIV3Schema") is None:
        return [Complaint((*at, "schema"), f"version `{name}` has no schema (`openAPIV3Schema`)")]
    subresources = version.get("subresources")
    if subresources is not None and not isinstance(subresources, Mapping):
        return [Complaint((*at, "subresources"), "`subresources` must be a mapping")]
    return []
