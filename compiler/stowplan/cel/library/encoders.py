"""Base64."""

from __future__ import annotations

import base64
import binascii

from stowplan.cel.library import Signatures
from stowplan.cel.limits import Meter, charge
from stowplan.cel.operators import fault

__all__ = ["METERED"]


def _decode(meter: Meter, value: str) -> bytes:
    charge(meter, len(value) // 10)
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise fault("invalid base64") from None


def _encode(meter: Meter, value: bytes) -> str:
    charge(meter, len(value) // 10)
    return base64.b64encode(value).decode()


METERED: Signatures = (
    ("base64.decode(string) -> bytes", _decode),
    ("base64.encode(bytes) -> string", _encode),
)
