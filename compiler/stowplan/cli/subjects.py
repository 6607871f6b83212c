"""What a shell may complete after `stowplan explain`: rules, and the names of the last compile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from stowplan.emission.paths import OUTPUT

__all__ = ["complete_subject"]


def complete_subject(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Codes of rules, and workloads, clusters, and quotas of `rendered/plan.json` where there is one."""
    if incomplete[:2].upper() == "SP":
        from stowplan.rules.registry import REGISTRY

        return [code for code in REGISTRY.names if code.startswith(incomplete.upper())]
    known = _names(Path(context.params.get("directory") or "."))
    return [name for name in known or ("workload/", "cluster/", "quota/", "SP") if name.startswith(incomplete)]


def _names(directory: Path) -> list[str]:
    try:
        plan = json.loads((directory / OUTPUT / "plan.json").read_bytes())
        workloads: list[dict[str, Any]] = plan["workloads"]
        tenants = sorted({str(w["tenant"]) for w in workloads})
        clusters = {str(r["cluster"]) for w in workloads for part in ("assignments", "rejected") for r in w[part]}
        names = [f"workload/{w['name']}" for w in workloads]
    except (OSError, ValueError, LookupError, TypeError):
        return []
    return names + [f"cluster/{c}" for c in sorted(clusters)] + [f"quota/{t}" for t in tenants]
