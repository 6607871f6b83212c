"""The functions of CEL and of Kubernetes' libraries.

Each module has `FUNCTIONS`, pairs of a signature and its implementation, and where outputs can grow, `METERED`, whose
implementations get the meter before the arguments. Arguments have the kinds the signature states when they arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

__all__ = ["Signatures"]

Signatures: TypeAlias = Sequence[tuple[str, Callable[..., Any]]]
