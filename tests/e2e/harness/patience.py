"""How long to wait for what is sure to come: every wait ends as soon as it does, so that only failures take this long."""

from __future__ import annotations

import os

PATIENCE = float(os.environ.get("STOWPLAN_E2E_PATIENCE", "180"))
"""Seconds; enough for two busy cores."""
