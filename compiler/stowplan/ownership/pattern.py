"""Field patterns of the atlas: paths with wildcards for names, list items and list keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from stowplan.ownership.fieldpath import FIELD, KEY, VALUE, FieldPath, PathElement

__all__ = ["FieldPattern", "PatternError", "parse_pattern"]

_STEP: Final = re.compile(
    r"""(?P<dot>^|\.)(?P<name>[A-Za-z0-9_*-]+)      # .name, * inside a name stands for any characters
      | \["(?P<quoted>[^"]+)"\]                     # ["name.with/dots*"]
      | \[(?P<any>\*)\]                             # [*] any list item
      | \[=(?P<value>[^\]"]+)\]                     # [=item of a set]
      | \[(?P<key>[A-Za-z]+)=(?P<keyed>[^\]"]+)\]   # [name=item of a map-list]
    """,
    re.VERBOSE,
)


class PatternError(ValueError):
    """A field pattern that cannot be read."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a pattern: `kind` is f, k, v or * (any list item)."""

    kind: str
    name: str
    glob: str

    def matches(self, element: PathElement) -> bool:
        if self.kind == FIELD:
            return element.kind == FIELD and _glob(element.payload, self.glob)
        if element.kind == FIELD:
            return False
        if self.kind == KEY:
            return element.kind == KEY and any(
                name == self.name and _glob(str(scalar[1]), self.glob) for name, scalar in element.payload
            )
        if self.kind == VALUE:
            return element.kind == VALUE and _glob(str(element.payload[1]), self.glob)
        return True


@dataclass(frozen=True, slots=True)
class FieldPattern:
    """A parsed pattern; the pattern `*` alone means the whole object."""

    text: str
    steps: tuple[_Step, ...]

    @property
    def whole(self) -> bool:
        """Whether the pattern covers the object as a whole."""
        return not self.steps

    def covers(self, path: FieldPath) -> bool:
        """Whether the pattern names this path or something above it."""
        return len(path) >= len(self.steps) and self._agrees(path)

    def lies_below(self, path: FieldPath) -> bool:
        """Whether the pattern names something strictly below this path."""
        return len(path) < len(self.steps) and self._agrees(path)

    def _agrees(self, path: FieldPath) -> bool:
        return all(step.matches(element) for step, element in zip(self.steps, path, strict=False))


def parse_pattern(text: str) -> FieldPattern:
    """Read a pattern such as `spec.template.spec.containers[name=istio-proxy]` or `metadata.labels["*.karmada.io/*"]`.

    Raises:
        PatternError: the text is no pattern.
    """
    if text == "*":
        return FieldPattern(text, ())
    steps = []
    position = 0
    while position < len(text):
        found = _STEP.match(text, position)
        if found is None or (found["dot"] == "" and position != 0):
            raise PatternError(f"cannot read the field pattern {text!r} from {text[position:]!r} on")
        steps.append(_step(found))
        position = found.end()
    if not steps:
        raise PatternError("a field pattern may not be empty")
    return FieldPattern(text, tuple(steps))


def _step(found: re.Match[str]) -> _Step:
    if found["name"] is not None:
        return _Step(FIELD, "", found["name"])
    if found["quoted"] is not None:
        return _Step(FIELD, "", found["quoted"])
    if found["any"] is not None:
        return _Step("*", "", "*")
    if found["value"] is not None:
        return _Step(VALUE, "", found["value"])
    return _Step(KEY, found["key"], found["keyed"])


def _glob(text: str, glob: str) -> bool:
    return text == glob or ("*" in glob and fnmatchcase(text, glob))
