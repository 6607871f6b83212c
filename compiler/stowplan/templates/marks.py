"""The marks that stand in a template's output where values will be, and the value that means "leave this out"."""

from __future__ import annotations

import re
from typing import Final, NoReturn

__all__ = [
    "CLOSE",
    "FORBIDDEN",
    "LINE_CLOSE",
    "LINE_OPEN",
    "MARK",
    "MARK_ESCAPE",
    "OMIT",
    "OMIT_MARK",
    "OPEN",
    "MarkedText",
    "MarkedTextError",
    "Omit",
]

OPEN: Final = "\ue000"
CLOSE: Final = "\ue001"
OMIT_MARK: Final = "\ue002"
LINE_OPEN: Final = "\ue003"
LINE_CLOSE: Final = "\ue004"

MARK: Final = re.compile(f"{OPEN}([0-9]+){CLOSE}")
FORBIDDEN: Final = re.compile(f"[{OPEN}-{LINE_CLOSE}]")
"""Characters of the private use area that a template's own text may not hold."""
MARK_ESCAPE: Final = re.compile(r"\\(?:u|U0000)[eE]00[0-4]")
"""How a double-quoted YAML scalar could spell a mark; refused, so that every mark is the engine's."""


class Omit:
    """The type of `OMIT`; it has this one value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "OMIT"

    def __bool__(self) -> bool:
        return False


OMIT: Final = Omit()
"""A hole with this value removes its mapping entry or its sequence item. Templates know it as `omit`."""


class MarkedTextError(TypeError):
    """A template looked into text that is made of marks, where it should have used the values."""


class MarkedText(str):
    """What a macro, a block or a `set` block produced: text with marks in place of values.

    It may only be written out. Comparing it would compare marks, and a filter would return text that is refused later.
    """

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        raise MarkedTextError("the output of a macro or block can be written, but not compared or searched")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _refuse
    __hash__ = str.__hash__
