"""Set up a process that runs one command and ends: no cyclic garbage collection, no plugins of libraries."""

from __future__ import annotations

import gc
import os

__all__ = ["prepare"]


def prepare() -> None:
    """To be called before a command is imported.

    A command makes much that lives until it ends and next to no cycles, so looking for cycles again and again finds
    nothing. pydantic would search all installed packages for plugins, which nobody wants to change what an input means.
    """
    gc.disable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
