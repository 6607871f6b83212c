"""Exit codes, one meaning each."""

from __future__ import annotations

from typing import Final

__all__ = ["FINDINGS", "INTERRUPTED", "NOT_DONE", "OK"]

OK: Final = 0
"""Nothing to report, no difference."""

FINDINGS: Final = 1
"""Findings at or above `--fail-on`, or a difference."""

NOT_DONE: Final = 2
"""The job could not be done: usage, unreadable input, a cluster out of reach, an internal error."""

INTERRUPTED: Final = 130
"""Interrupted by the user."""
