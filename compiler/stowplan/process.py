"""Set up a process that runs one command and ends: no cyclic garbage collection, no plugins of libraries."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

__all__ = ["finish", "prepare"]


def prepare() -> None:
    """To be called before a command is imported.

    A command makes much that lives until it ends and next to no cycles, so looking for cycles again and again finds
    nothing. pydantic would search all installed packages for plugins, which nobody wants to change what an input means.
    """
    gc.disable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def finish(code: int) -> NoReturn:
    """Ends the process without taking all that was made apart again, which takes a twentieth of a large compile.

    Where something watches how the process ends (a debugger, coverage), or output is stuck, it ends the usual way.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # None where the caller has closed it
                stream.flush()
    except (OSError, ValueError):
        sys.exit(code)
    if sys.gettrace() is not None or "coverage" in sys.modules:
        sys.exit(code)
    os._exit(code)
