"""Rules of CustomResourceDefinition."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .crd_schemas import check_schema, field_at
from .crd_structure import unreadable
from .meta import check_meta
from .names import dns_label_1035, dns_subdomain, path_segment
from .report import Report, Struct, Word
from .webhooks import check_client, check_review_versions

__all__ = ["check_definition"]

Manifest = Mapping[str, Any]
_COLUMN_TYPES = "must be one of boolean,date,integer,number,string"
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_UNSET = "should not be set when strategy is not set to Webhook"
_PRESERVE = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
_PRUNED = "must be false in order to use defaults in the schema"
_SELECTABLE = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
)
_MIXED = "may have mixed case, but should otherwise match: "


def check_definition(manifest: Manifest, report: Report) -> None:
    """A CustomResourceDefinition."""
    spec = manifest.get("spec") or {}
    names = spec.get("names") or {}
    wanted = f"{names.get('plural') or ''}.{spec.get('group') or ''}"

    def check_name(name: str) -> tuple[str, ...]:
        return (*dns_subdomain(name), *(() if name == wanted else ('must be spec.names.plural+"."+spec.group',)))

    check_meta(manifest.get("metadata") or {}, report, check_name, namespaced=False)
    _check_spec(spec, names, report)
    stored = [version.get("name") or "" for version in spec.get("versions") or () if version.get("storage")]
    if not stored:
        report.invalid("status.storedVersions", None, "must have at least one stored version")
    for name in stored[1:]:
        report.invalid("status.storedVersions", stored[:1], f"must have the storage version {name}")


def check_definition_changed(manifest: Manifest, report: Report) -> None:
    """A CustomResourceDefinition that replaces another; its name was looked at before."""
    check_meta(manifest.get("metadata") or {}, report, path_segment, namespaced=False)
    spec = manifest.get("spec") or {}
    _check_spec(spec, spec.get("names") or {}, report)


def _check_spec(spec: Manifest, names: Manifest, report: Report) -> None:
    group = spec.get("group") or ""
    if not group:
        report.required("spec.group")
    elif complaints := dns_subdomain(group):
        report.invalid_all("spec.group", group, complaints)
    elif "." not in group:
        report.invalid("spec.group", group, "should be a domain with at least one dot")
    report.required_choice("spec.scope", spec.get("scope"), ("Cluster", "Namespaced"))
    if spec.get("preserveUnknownFields"):
        if any(_has_default(version.get("schema")) for version in spec.get("versions") or ()):
            report.invalid("spec.preserveUnknownFields", True, _PRUNED)
        strategy = (spec.get("conversion") or {}).get("strategy") or ""
        if spec.get("conversion") is not None and strategy != "None":
            detail = "must be None if spec.preserveUnknownFields is true"
            report.invalid("spec.conversion.strategy", Word(strategy), detail)
        report.invalid("spec.preserveUnknownFields", True, _PRESERVE)
    _check_versions(spec, report)
    _check_names(names, report)
    _check_shared(spec, report)
    _check_conversion(spec.get("conversion") or {}, report)


def _has_default(schema: Any) -> bool:
    """Whether any schema inside has a default."""
    if isinstance(schema, Mapping):
        inner = [value for key, value in schema.items() if key not in ("default", "enum", "example")]
        return schema.get("default") is not None or any(_has_default(value) for value in inner)
    return isinstance(schema, list) and any(_has_default(item) for item in schema)


def _shared(versions: Sequence[Manifest], member: str) -> bool:
    """Whether all versions say the same, so that the server keeps it once for all."""
    return bool(versions) and all(version.get(member) == versions[0].get(member) for version in versions)


def _check_versions(spec: Manifest, report: Report) -> None:
    versions = spec.get("versions") or ()
    names: list[str] = []
    own_schema = not _shared(versions, "schema")
    for position, version in enumerate(versions):
        path = f"spec.versions[{position}]"
        if (version.get("schema") or {}).get("openAPIV3Schema") is None:
            report.required(f"{path}.schema.openAPIV3Schema")
        elif own_schema:
            status = (version.get("subresources") or {}).get("status") is not None
            check_schema(version["schema"]["openAPIV3Schema"], f"{path}.schema.openAPIV3Schema", report, status=status)
        name = version.get("name") or ""
        report.invalid_all(f"{path}.name", name, dns_label_1035(name))
        names.append(name)
        if not _shared(versions, "subresources"):
            _check_subresources(version.get("subresources"), f"{path}.subresources", report)
        if not _shared(versions, "additionalPrinterColumns"):
            columns = version.get("additionalPrinterColumns") or ()
            _check_columns(columns, f"{path}.additionalPrinterColumns", report)
        if version.get("selectableFields") and not _shared(versions, "selectableFields"):
            schema = (version.get("schema") or {}).get("openAPIV3Schema") if own_schema else None
            if schema is None:
                detail = "may only be set when `version.schema.openAPIV3Schema` is not included"
                report.invalid(f"{path}.selectableFields", "", detail)
            else:
                _check_selectable(version, schema, path, report)
        _check_warning(version, path, report)
    if len(set(names)) != len(names):
        report.invalid("spec.versions", _shown(versions), "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        shown = _shown(versions) if spec.get("versions") is not None else None
        report.invalid("spec.versions", shown, "must have exactly one version marked as storage version")
    if names and names[0]:
        report.invalid_all("spec.version", names[0], dns_label_1035(names[0]))


def _shown(versions: Sequence[Manifest]) -> list[Struct]:
    hidden = ("Schema", "Subresources", "AdditionalPrinterColumns", "SelectableFields")
    return [
        Struct(
            Name=version.get("name") or "",
            Served=bool(version.get("served")),
            Storage=bool(version.get("storage")),
            Deprecated=bool(version.get("deprecated")),
            DeprecationWarning=version.get("deprecationWarning"),
            **dict.fromkeys(hidden),
        )
        for version in versions
    ]


def _check_warning(version: Manifest, path: str, report: Report) -> None:
    warning = version.get("deprecationWarning")
    if warning is None:
        return
    place = f"{path}.deprecationWarning"
    if not version.get("deprecated"):
        report.invalid(place, Word(warning), "can only be set for deprecated versions")
        return
    if len(warning.encode()) > 256:
        report.invalid(place, Word(warning), "must be <= 256 characters long")
    if not warning:
        report.invalid(place, Word(warning), "must not be an empty string")
    bad = next((index for index, rune in enumerate(warning) if not rune.isprintable()), None)
    if bad is not None:
        index = len(warning[:bad].encode())
        detail = f"must only contain printable UTF-8 characters; non-printable character found at index {index}"
        report.invalid(place, Word(warning), detail)


def _check_names(names: Manifest, report: Report) -> None:
    for member in ("plural", "singular", "kind", "listKind"):
        value, place = names.get(member) or "", f"spec.names.{member}"
        if not value:
            report.required(place)
        elif member in ("plural", "singular"):
            report.invalid_all(place, value, dns_label_1035(value))
        elif complaints := dns_label_1035(value.lower()):
            report.invalid(place, value, _MIXED + ",".join(complaints))
    for member in ("shortNames", "categories"):
        for position, value in enumerate(names.get(member) or ()):
            report.invalid_all(f"spec.names.{member}[{position}]", value, dns_label_1035(value))
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        report.invalid("spec.names.listKind", names["listKind"], "kind and listKind may not be the same")


def _check_shared(spec: Manifest, report: Report) -> None:
    """What all versions have in common is looked at once, under names of its own."""
    versions = spec.get("versions") or ()
    if not versions:
        return
    first = versions[0]
    schema = (first.get("schema") or {}).get("openAPIV3Schema")
    if schema is not None and _shared(versions, "schema"):
        status = (first.get("subresources") or {}).get("status") is not None
        check_schema(schema, "spec.validation.openAPIV3Schema", report, status=status)
    if _shared(versions, "subresources"):
        _check_subresources(first.get("subresources"), "spec.subresources", report)
    if _shared(versions, "additionalPrinterColumns"):
        _check_columns(first.get("additionalPrinterColumns") or (), "spec.additionalPrinterColumns", report)
    if first.get("selectableFields") and _shared(versions, "selectableFields"):
        if first.get("schema") is None or not _shared(versions, "schema"):
            report.invalid("spec.selectableFields", "", "may only be set when validations.schema is included")
        else:
            _check_selectable(first, schema, "spec", report)


def _check_subresources(subresources: Manifest | None, path: str, report: Report) -> None:
    scale = (subresources or {}).get("scale")
    if scale is None:
        return
    for member, below in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status"), ("labelSelectorPath", "")):
        value, place = scale.get(member) or "", f"{path}.scale.{member}"
        if not value:
            if below:
                report.required(place)
            continue
        if complaint := _path_complaint(value):
            report.invalid(place, value, complaint)
        elif below and not value.startswith(f"{below}."):
            report.invalid(place, value, f"should be a json path under {below}")
        elif not below and not value.startswith((".spec.", ".status.")):
            report.invalid(place, value, "should be a json path under either .spec or .status")


def _path_complaint(path: str) -> str:
    if not path:
        return "must not be empty"
    if not path.startswith("."):
        return "must be a simple json path starting with ."
    return ""


def _check_columns(columns: Sequence[Manifest], path: str, report: Report) -> None:
    for position, column in enumerate(columns):
        place = f"{path}[{position}]"
        if not column.get("name"):
            report.required(f"{place}.name")
        kind = column.get("type") or ""
        if not kind:
            report.required(f"{place}.type", _COLUMN_TYPES)
        elif kind not in ("boolean", "date", "integer", "number", "string"):
            report.invalid(f"{place}.type", kind, _COLUMN_TYPES)
        form = column.get("format")
        if form and form not in _COLUMN_FORMATS:
            report.invalid(f"{place}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
        target = column.get("jsonPath") or ""
        if not target:
            report.required(f"{place}.JSONPath")
        elif complaint := _path_complaint(target):
            report.invalid(f"{place}.JSONPath", target, complaint)


def _check_selectable(version: Manifest, schema: Manifest | None, holder: str, report: Report) -> None:
    path = f"{holder}.selectableFields"
    if schema is not None and (reason := unreadable(schema)):
        report.invalid(f"{holder}.schema.openAPIV3Schema", "", reason)
        schema = None
    seen: set[str] = set()
    for position, field in enumerate(version["selectableFields"]):
        target, place = field.get("jsonPath") or "", f"{path}[{position}].jsonPath"
        if not target:
            report.required(place)
            continue
        if target[0] not in ".[":
            first = re.split(r"[.\[]", target)[0]
            report.invalid(place, target, f"is an invalid path: expected [ or . but got: {first}")
            continue
        found = field_at(schema or {}, target)
        if found is None:
            report.invalid(place, target, "is an invalid path: does not refer to a valid field")
            continue
        if target.startswith(".metadata"):
            report.invalid(place, target, "must not point to fields in metadata")
        if found.get("type") not in ("string", "boolean", "integer"):
            report.invalid(place, target, _SELECTABLE)
        if target in seen:
            report.duplicate(place, target)
        seen.add(target)
    if len(seen) > 8:
        report.too_many(path, len(seen), 8)


def _check_conversion(conversion: Manifest, report: Report) -> None:
    strategy = conversion.get("strategy") or ""
    webhook = conversion.get("webhook") or {}
    client, versions = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or ()
    path = "spec.conversion"
    if not strategy:
        report.required(f"{path}.strategy")
    elif strategy not in ("None", "Webhook"):
        report.unsupported(f"{path}.strategy", strategy, ("None", "Webhook"), plain=True)
    if strategy == "Webhook":
        if client is None:
            report.required(f"{path}.webhookClientConfig", "required when strategy is set to Webhook")
        else:
            check_client(client, f"{path}.webhookClientConfig", report)
        check_review_versions(versions, f"{path}.conversionReviewVersions", report)
        return
    if client is not None:
        report.forbidden(f"{path}.webhookClientConfig", _UNSET)
    if versions:
        report.forbidden(f"{path}.conversionReviewVersions", _UNSET)


def check_definition_update(new: Manifest, old: Manifest, report: Report) -> None:
    """The versions in which objects were stored must stay."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    names = {version.get("name") for version in after.get("versions") or ()}
    stored = (old.get("status") or {}).get("storedVersions")
    if stored is None:
        stored = [version.get("name") for version in before.get("versions") or () if version.get("storage")]
    for position, name in enumerate(stored):
        if name not in names:
            detail = (
                "missing from spec.versions; "
                f"{name} was previously a storage version, and must remain in spec.versions until a storage migration "
                "ensures no data remains persisted in "
                f"{name} and removes {name} from status.storedVersions"
            )
            report.invalid(f"status.storedVersions[{position}]", name, detail)
