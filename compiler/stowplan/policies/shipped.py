"""The guardrails that ship with the compiler: policy documents of `data/policies`, each with a code of its own."""

from __future__ import annotations

from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

from stowplan.model.entity import Entity
from stowplan.model.inputs.policies import GuardrailPolicySpec
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin

__all__ = ["SHIPPED_CODES", "SHIPPED_FOLDER", "shipped_guardrails", "shipped_text"]

SHIPPED_FOLDER: Final = "stowplan/policies"
"""What diagnostics call the place of shipped policies."""

SHIPPED_CODES: Final = MappingProxyType(
    {
        "image-by-digest": "SP8001",
        "resource-requests": "SP8002",
        "no-privileged-containers": "SP8003",
        "no-privilege-escalation": "SP8004",
        "no-host-access": "SP8005",
        "no-host-paths": "SP8006",
        "probes-on-servers": "SP8007",
        "disruption-budget": "SP8008",
        "egress-denied-by-default": "SP8009",
        "no-default-token": "SP8010",
        "accelerator-limits": "SP8011",
        "memory-limits": "SP8012",
        "no-added-capabilities": "SP8013",
        "no-cluster-admin": "SP8014",
        "no-secret-data": "SP8015",
        "no-node-ports": "SP8016",
        "no-wildcard-rbac": "SP8017",
    }
)
"""The code of each shipped guardrail, by its name."""


def shipped_text() -> dict[str, str]:
    """The texts of the policy files by name, without their tests."""
    folder = resources.files("stowplan") / "data" / "policies"
    return {
        f.name: f.read_text(encoding="utf-8") for f in sorted(folder.iterdir(), key=lambda f: f.name) if f.is_file()
    }


@cache
def shipped_guardrails() -> tuple[Entity[GuardrailPolicySpec], ...]:
    """All shipped guardrails in the order of their codes."""
    texts = {f"{SHIPPED_FOLDER}/{name}": text for name, text in shipped_text().items() if name.endswith(".yaml")}
    tree = SourceTree.from_texts(texts)
    found: list[Entity[GuardrailPolicySpec]] = []
    for file in tree.files:
        for document in file.documents:
            data: Any = document.data
            name = data["metadata"]["name"]
            spec = GuardrailPolicySpec.model_validate(data["spec"])
            found.append(Entity("GuardrailPolicy", name, {}, {}, spec, Origin(document.path, document.index)))
    return tuple(sorted(found, key=lambda entity: SHIPPED_CODES[entity.name]))
