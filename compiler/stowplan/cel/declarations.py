"""What an expression may refer to: its variables and their types."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from stowplan.cel.types import DYN, Type

__all__ = ["Declarations"]


class Declarations:
    """Variables by name; a name may be dotted. Without `checked`, unknown names and types only fail when evaluated."""

    __slots__ = ("checked", "dotted", "variables")

    def __init__(self, variables: Mapping[str, Type], *, checked: bool = True) -> None:
        self.variables: Mapping[str, Type] = MappingProxyType(dict(variables))
        self.checked = checked
        self.dotted = any("." in name for name in self.variables)

    @classmethod
    def dynamic(cls, *names: str) -> Declarations:
        """Variables of any type."""
        return cls(dict.fromkeys(names, DYN))

    @classmethod
    def unchecked(cls, *names: str) -> Declarations:
        """Variables of any type in an expression that is not checked."""
        return cls(dict.fromkeys(names, DYN), checked=False)

    def extended(self, variables: Mapping[str, Type]) -> Declarations:
        """These declarations and more; the new ones win."""
        return Declarations({**self.variables, **variables}, checked=self.checked)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Declarations)
            and other.checked is self.checked
            and dict(other.variables) == dict(self.variables)
        )

    def __hash__(self) -> int:
        return hash((self.checked, frozenset(self.variables.items())))
