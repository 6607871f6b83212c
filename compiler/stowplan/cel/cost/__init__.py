"""What a rule may cost at most, as API servers reckon it before they take a definition.

Servers refuse definitions whose rules could take too long on the largest object that the schema allows. The numbers here
are theirs, and so are the oddities: they decide what is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stowplan.cel.cost.estimator import estimate
from stowplan.cel.cost.forms import TooManyForms, Unfolder
from stowplan.cel.cost.sizes import MOST, Declared

if TYPE_CHECKING:
    from stowplan.cel.checker import Checked
    from stowplan.cel.tree import Node

__all__ = ["Declared", "cost_of"]


def cost_of(root: Node, checked: Checked, declared: Declared) -> int:
    """What an expression costs at most over values as large as `declared` lets them be; the largest number of too much."""
    try:
        form = Unfolder(checked).unfold(root)
    except TooManyForms:
        return MOST
    return estimate(form, declared)
