"""Exceptions that say the machine, not the user's text, is at fault.

```
StowplanError
└── EnvironmentFault    no such folder, no permission, disk full: exit code 2, one line, no traceback
```

Mistakes in what the user wrote are never exceptions: they are problems and diagnostics.
"""

from __future__ import annotations

__all__ = ["EnvironmentFault", "StowplanError"]


class StowplanError(Exception):
    """The base of everything Stowplan raises on purpose."""


class EnvironmentFault(StowplanError):
    """The job could not be done here; the message is one clear line that names the file or folder."""
