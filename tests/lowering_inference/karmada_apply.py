"""What Karmada makes of a template in one member: override policies of the kinds that we render, applied in its order."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

SUPPORTED = frozenset({"plaintext", "labelsOverrider", "annotationsOverrider"})


class Unappliable(Exception):
    """Karmada would refuse."""


def overridden(template: Mapping[str, Any], policies: Iterable[Mapping[str, Any]], cluster: str) -> dict[str, Any]:
    """The template as the cluster gets it; policies are given in the order in which they count."""
    made: dict[str, Any] = copy.deepcopy(dict(template))
    for policy in policies:
        for rule in policy["spec"]["overrideRules"]:
            target = rule.get("targetCluster")
            names = (target or {}).get("clusterNames")
            if not names or cluster in names:
                _apply(made, rule["overriders"])
    return made


def _apply(made: dict[str, Any], overriders: Mapping[str, Any]) -> None:
    for name in ("labels", "annotations"):
        for entry in overriders.get(f"{name}Overrider", ()):
            _change_map(made, name, entry)
    for operation in overriders.get("plaintext", ()):
        _patch(made, operation)


def _change_map(made: dict[str, Any], name: str, entry: Mapping[str, Any]) -> None:
    found = made.setdefault("metadata", {}).get(name)
    for key, given in entry["value"].items():
        if entry["operator"] == "add":
            if found is None:
                found = made["metadata"][name] = {}
            found[key] = given
        elif found is not None and key in found:
            if entry["operator"] == "remove":
                del found[key]
            else:
                found[key] = given


def _patch(made: dict[str, Any], operation: Mapping[str, Any]) -> None:
    steps = [s.replace("~1", "/").replace("~0", "~") for s in operation["path"].split("/")[1:]]
    holder: Any = made
    for step in steps[:-1]:
        try:
            holder = holder[int(step)] if isinstance(holder, list) else holder[step]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Unappliable(operation["path"]) from None
    last = steps[-1]
    if isinstance(holder, list):
        _patch_list(holder, last, operation)
    elif not isinstance(holder, dict) or (operation["operator"] != "add" and last not in holder):
        raise Unappliable(operation["path"])
    elif operation["operator"] == "remove":
        del holder[last]
    else:
        holder[last] = copy.deepcopy(operation.get("value"))


def _patch_list(holder: list[Any], last: str, operation: Mapping[str, Any]) -> None:
    index = len(holder) if last == "-" else int(last)
    if operation["operator"] == "add":
        if index > len(holder):
            raise Unappliable(operation["path"])
        holder.insert(index, copy.deepcopy(operation.get("value")))
    elif operation["operator"] == "remove":
        del holder[index]
    else:
        holder[index] = copy.deepcopy(operation.get("value"))
