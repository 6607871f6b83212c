"""Build the pack of built-in kinds from the definitions that the kubernetes-validate package carries.

    python -m stowplan.schema.building.builtin_pack [DEFINITIONS_DIR]

Reads every `vX.Y.Z-local/_definitions.json`, drops all prose, writes each member as one short word (see
`stowplan.schema.builtin.pack`), keeps each distinct definition once and records in which minors it holds. The output
depends on the input only: running the tool twice gives the same bytes.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

__all__ = ["build_pack", "main", "pack_bytes"]

_OUTPUT: Final = Path(__file__).parents[2] / "data" / "packs" / "builtin.json.xz"
_DIRECTORY: Final = re.compile(r"v1\.(\d+)\.\d+-local")
_PREFIXES: Final = (
    ("io.k8s.apimachinery.pkg.apis.meta.", "meta."),
    ("io.k8s.apimachinery.pkg.api.resource.", "resource."),
    ("io.k8s.apimachinery.pkg.util.", ""),
    ("io.k8s.apimachinery.pkg.", ""),
    ("io.k8s.apiextensions-apiserver.pkg.apis.", ""),
    ("io.k8s.kube-aggregator.pkg.apis.", ""),
    ("io.k8s.api.", ""),
)
_SCALARS: Final = {
    "resource.Quantity": "q",
    "intstr.IntOrString": "p",
    "meta.v1.Time": "t",
    "meta.v1.MicroTime": "u",
    "meta.v1.FieldsV1": "*",
    "runtime.RawExtension": "*",
}
_FORMATS: Final = {"int32": "i", "int64": "l", "byte": "y", "double": "f"}
_LIST_TYPES: Final = {"atomic": "a", "set": "s", "map": "m"}


def _short_name(name: str) -> str:
    for prefix, short in _PREFIXES:
        if name.startswith(prefix):
            return short + name[len(prefix) :]
    return name


def _kind_of(schema: Mapping[str, Any]) -> str:
    """The JSON type of a schema, without the `null` alternative."""
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
    return str(kinds[0]) if kinds else ""


def _list_word(schema: Mapping[str, Any]) -> str:
    mark = _LIST_TYPES.get(schema.get("x-kubernetes-list-type", ""), "")
    keys = ",".join(schema.get("x-kubernetes-list-map-keys", ()))
    merge = schema.get("x-kubernetes-patch-merge-key", "") if "x-kubernetes-patch-strategy" in schema else ""
    return f"[{mark}{'=' + keys if keys else ''}{'~' + merge if merge else ''}]" + _word(schema["items"])


def _word(schema: Mapping[str, Any]) -> str:
    """One schema as a word: a scalar letter, `@type`, `[...]element` or `{}element`."""
    if "$ref" in schema:
        name = _short_name(schema["$ref"].rpartition("/")[2])
        return _SCALARS.get(name, "@" + name)
    kind = _kind_of(schema)
    if kind == "array":
        return _list_word(schema)
    if kind == "object":
        atomic = "a" if schema.get("x-kubernetes-map-type") == "atomic" else ""
        element = schema.get("additionalProperties")
        return f"{{{atomic}}}{_word(element) if element else '*'}"
    return {
        "string": _FORMATS.get(schema.get("format", ""), "s"),
        "integer": _FORMATS.get(schema.get("format", ""), "l"),
        "number": "f",
        "boolean": "b",
    }.get(kind, "*")


def _definition(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A definition as its members, in name order; `!` marks what must be present."""
    properties = schema.get("properties")
    if properties is None:
        return {"is": _word(schema)}
    required = set(schema.get("required", ()))
    members = {name: ("!" if name in required else "") + _word(properties[name]) for name in sorted(properties)}
    result: dict[str, Any] = {"members": members}
    if schema.get("x-kubernetes-map-type") == "atomic":
        result["atomic"] = 1
    return result


def _kinds(schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """`group/version/Kind` to type name, for what is stored as an object of its own."""
    result = {}
    for name, schema in schemas.items():
        meta = schema.get("properties", {}).get("metadata", {}).get("$ref", "")
        if not meta.endswith("meta.v1.ObjectMeta"):
            continue
        for entry in schema.get("x-kubernetes-group-version-kind", ()):
            group = entry["group"] + "/" if entry["group"] else ""
            result[f"{group}{entry['version']}/{entry['kind']}"] = _short_name(name)
    return result


def _runs(history: Mapping[int, int | str], minors: list[int]) -> list[list[int | str]]:
    """Where a value changes: `[minor, value]` pairs, -1 for absence."""
    runs: list[list[int | str]] = []
    for minor in minors:
        value = history.get(minor, -1)
        if (runs[-1][1] if runs else -1) != value:
            runs.append([minor, value])
    return runs


def build_pack(definitions: Path) -> dict[str, Any]:
    """The pack as plain data; `definitions` holds one folder for each version."""
    versions = {int(m[1]): path for path in definitions.iterdir() if (m := _DIRECTORY.fullmatch(path.name))}
    minors = sorted(versions)
    pool: dict[str, int] = {}
    types: dict[str, dict[int, int]] = {}
    kinds: dict[str, dict[int, str]] = {}
    for minor in minors:
        schemas = json.loads((versions[minor] / "_definitions.json").read_text())["$defs"]
        for name in sorted(schemas):
            text = json.dumps(_definition(schemas[name]), separators=(",", ":"))
            types.setdefault(_short_name(name), {})[minor] = pool.setdefault(text, len(pool))
        for kind, name in sorted(_kinds(schemas).items()):
            kinds.setdefault(kind, {})[minor] = name
    return {
        "format": 1,
        "minors": minors,
        "definitions": [json.loads(text) for text in pool],
        "types": {name: _runs(types[name], minors) for name in sorted(types)},
        "kinds": {name: _runs(kinds[name], minors) for name in sorted(kinds)},
    }


def pack_bytes(pack: Mapping[str, Any]) -> bytes:
    """The pack as it is shipped: compact JSON, xz."""
    text = json.dumps(pack, separators=(",", ":"), ensure_ascii=True)
    return lzma.compress(text.encode(), check=lzma.CHECK_CRC32, preset=9 | lzma.PRESET_EXTREME)


def main(arguments: list[str]) -> int:
    """Write the pack into the package's data."""
    if arguments:
        definitions = Path(arguments[0])
    else:
        import kubernetes_validate  # type: ignore[import-untyped]

        definitions = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
    _OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    _OUTPUT.write_bytes(pack_bytes(build_pack(definitions)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
