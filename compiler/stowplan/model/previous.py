"""What was rendered before this compile, as values: the tree as its lock lists it, and the changes from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stowplan.model.rendered import RenderedObject
from stowplan.source.span import Pointer

__all__ = ["Changes", "PreviousFile", "PreviousTree", "RefusedChange", "Update"]


@dataclass(frozen=True, slots=True)
class PreviousFile:
    """One file as it was: the object in it, or None and why it is not known (`is missing`)."""

    object: Mapping[str, Any] | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PreviousTree:
    """The tree that a compile takes the place of. `digests` are its lock's, by path; `read` looks at one file when asked.

    `name` is how findings call it: `rendered`, or the path that the user gave.
    """

    name: str
    digests: Mapping[str, str]
    read: Callable[[str], PreviousFile]


@dataclass(frozen=True, slots=True)
class Update:
    """An object that was rendered before for the same API server, with another text; `path` is where it lay."""

    made: RenderedObject
    old: Mapping[str, Any]
    path: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What becomes of the tree as it was. Objects that are neither in `updates`, `added`, nor `unknown` stay as they are.

    `updates` and `added` go by the path of the new object; `unknown` holds files of the old tree, by path, and why
    nobody knows what was in them; `blind` are the paths of new objects that may have been there before, as something
    that is not known.
    """

    updates: Mapping[str, Update] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    unknown: Mapping[str, str] = field(default_factory=dict)
    blind: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.updates or self.added or self.blind)

    def is_kept(self, made: RenderedObject) -> bool:
        """Whether the object is what it was."""
        return not (made.path in self.updates or made.path in self.added or made.path in self.blind)

    def before(self, made: RenderedObject) -> Mapping[str, Any] | None:
        """The object as it was; None where it is new, and where it is not known."""
        update = self.updates.get(made.path)
        if update is not None:
            return update.old
        return made.object if self.is_kept(made) else None


@dataclass(frozen=True, slots=True)
class RefusedChange:
    """A change that the API server, or a webhook in it, would refuse.

    `pointers` are the fields that it refuses to change, each as a path into the object; `field` is the server's name
    of what they belong to, `reason` what it says, `cure` what the user can do. One that is not `is_certain` is refused
    from some moment on: while a job waits, it goes through.
    """

    code: str
    update: Update
    pointers: tuple[Pointer, ...]
    field: str
    reason: str
    cure: str = ""
    is_certain: bool = True
