"""The changes pass: what becomes of the tree as it was, and which of it an API server would refuse."""

from stowplan.passes.changes.findings import change_findings
from stowplan.passes.changes.judging import refused_changes
from stowplan.passes.changes.pairing import find_changes, updates_in_place

__all__ = ["change_findings", "find_changes", "refused_changes", "updates_in_place"]
