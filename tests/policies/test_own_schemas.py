"""A cluster's own schemas: found through its snapshot, kept out of the input documents, winning over the shipped ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from policy_samples import EXAMPLE

from stowplan.driver import Compilation, compile_workspace
from stowplan.schema.importing import import_text
from stowplan.schemas import fleet_schemas, own_packs, schema_sets
from stowplan.source.files import SourceTree
from stowplan.validation.packs import pack_bytes

INVENTORY = "fleet/inventory/us-east-spot.yaml"


def definition(maximum: int = 5) -> dict[str, Any]:
    size = {"type": "integer", "maximum": maximum}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": size}}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Foo", "plural": "foos"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "foos.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    }  # fmt: skip


def compiled(crds: str, files: dict[str, bytes]) -> Compilation:
    texts: dict[str, str | bytes] = {
        path.relative_to(EXAMPLE).as_posix(): path.read_bytes() for path in sorted(EXAMPLE.rglob("*")) if path.is_file()
    }
    texts[INVENTORY] = str(texts[INVENTORY], "utf-8") + f"  crds: [{crds}]\n"  # type: ignore[arg-type]
    return compile_workspace(SourceTree.from_texts({**texts, **files}))


YAML = b"# written by a tool\n" + json.dumps(definition()).encode() + b"\n"
# `0o7` and `yes` are read differently by different YAML versions: not here, where the server's reading counts.
STYLE = YAML.replace(b'"maximum": 5', b'"maximum": 5, "x-kubernetes-preserve-unknown-fields": yes')
PACK = pack_bytes(import_text(json.dumps(definition())).value)


@pytest.mark.parametrize(
    ("crds", "files"),
    [
        ("fleet/crds/foo.yaml", {"fleet/crds/foo.yaml": YAML}),
        ("fleet/crds", {"fleet/crds/foo.yaml": YAML}),
        ("fleet/crds/", {"fleet/crds/deep/foo.yaml": YAML}),
        ("fleet/crds/foo.pack", {"fleet/crds/foo.pack": PACK}),
    ],
    ids=["file", "folder", "deep", "pack"],
)
def test_own_schemas__count_for_that_cluster_alone(crds: str, files: dict[str, bytes]) -> None:
    done = compiled(crds, files)
    assert not done.failed(), [d.message for d in done.diagnostics]
    assert done.fleet is not None
    own = own_packs(done.fleet, done.tree)
    assert list(own.value) == ["us-east-spot"] and own.diagnostics == ()
    knowing = [
        s for s in schema_sets(done.fleet, fleet_schemas(done.fleet, own.value)) if s.kind("example.com/v1", "Foo")
    ]
    assert len(knowing) == 1


def test_style_of_definitions__is_no_mistake() -> None:
    done = compiled("fleet/crds", {"fleet/crds/foo.yaml": STYLE})
    assert not {d.code for d in done.diagnostics} & {"SP0104", "SP0205", "SP0206"}


@pytest.mark.parametrize(
    ("crds", "files"),
    [
        ("fleet/crds/none.pack", {}),
        ("../outside.yaml", {}),
        ("fleet/crds/foo.pack", {"fleet/crds/foo.pack": b"X" + bytes(40)}),
        ("fleet/crds/foo.pack", {"fleet/crds/foo.pack": PACK[:-9]}),
    ],
)
def test_own_schemas__that_cannot_be_used(crds: str, files: dict[str, bytes]) -> None:
    done = compiled(crds, files)
    assert [d.code for d in done.diagnostics if d.code == "SP0816"] == ["SP0816"]


def test_malformed_definition__is_named() -> None:
    broken = definition()
    broken["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = {"type": "nonsense"}
    done = compiled("fleet/crds/foo.yaml", {"fleet/crds/foo.yaml": json.dumps(broken).encode()})
    assert "SP0810" in {d.code for d in done.diagnostics} and done.failed()


def test_rule_out_of_reach__is_named_with_the_cluster() -> None:
    """A definition whose rule needs a newer Kubernetes than the cluster that brings it."""
    source = json.dumps(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "localqueues.kueue.x-k8s.io"},
            "spec": {
                "group": "kueue.x-k8s.io",
                "scope": "Namespaced",
                "names": {"kind": "LocalQueue", "plural": "localqueues"},
                "versions": [
                    {
                        "name": version,
                        "served": True,
                        "storage": version == "v1beta1",
                        "schema": {
                            "openAPIV3Schema": {
                                "type": "object",
                                "x-kubernetes-validations": [{"rule": "no.such.function(self)"}],
                                "properties": {
                                    "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                                },
                            }
                        },
                    }
                    for version in ("v1beta1", "v1beta2")
                ],
            },
        }
    )
    done = compiled("fleet/crds/q.yaml", {"fleet/crds/q.yaml": source.encode()})
    told = [d for d in done.diagnostics if d.code == "SP0814"]
    assert told and all(d.targets == ("us-east-spot",) for d in told)


def test_guardrail_on_a_field_that_some_clusters_lack() -> None:
    """`LocalQueue` of one cluster's own pack has no `fairSharing`, which the shipped definitions have."""
    source = json.dumps(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "localqueues.kueue.x-k8s.io"},
            "spec": {
                "group": "kueue.x-k8s.io",
                "scope": "Namespaced",
                "names": {"kind": "LocalQueue", "plural": "localqueues"},
                "versions": [
                    {
                        "name": version,
                        "served": True,
                        "storage": version == "v1beta1",
                        "schema": {
                            "openAPIV3Schema": {
                                "type": "object",
                                "properties": {
                                    "spec": {
                                        "type": "object",
                                        "properties": {
                                            "clusterQueue": {"type": "string"},
                                            "stopPolicy": {"type": "string"},
                                        },
                                    }
                                },
                            }
                        },
                    }
                    for version in ("v1beta1", "v1beta2")
                ],
            },
        }
    )
    policy = (
        "apiVersion: stowplan.io/v1alpha1\nkind: GuardrailPolicy\nmetadata: {name: g}\nspec:\n"
        "  match: {kinds: [LocalQueue]}\n  level: note\n  validations: [{expression: has(object.spec.fairSharing)}]\n"
    )
    files = {"fleet/crds/q.yaml": source.encode(), "policies/g.yaml": policy.encode()}
    [told] = [d for d in compiled("fleet/crds/q.yaml", files).diagnostics if d.code == "SP0815"]
    assert told.targets == ("us-east-spot",) and "`spec.fairSharing`" in told.message
