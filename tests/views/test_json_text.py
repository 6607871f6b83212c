"""Our JSON text against the standard library's."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from stowplan.views.json_text import json_text


def plain(dice: random.Random, depth: int = 0) -> Any:
    kind = dice.randrange(6 if depth > 3 else 9)
    if kind < 6:
        text = "".join(chr(dice.choice((10, 34, 92, 97, 0xE9, 0x2028, 0x1F600))) for _ in range(dice.randrange(5)))
        number = dice.random() * 10.0 ** dice.randrange(-9, 20)
        return (None, True, False, number, dice.randrange(-(10**9), 10**9), text)[kind]
    items = [plain(dice, depth + 1) for _ in range(dice.randrange(4))]
    return {f"key {i}\n": item for i, item in enumerate(items)} if kind == 6 else items if kind == 7 else tuple(items)


@pytest.mark.parametrize("seed", range(200))
def test_text_is_that_of_the_standard_library(seed: int) -> None:
    value = plain(random.Random(seed))
    assert json_text(value) == json.dumps(value, indent=1, ensure_ascii=False)


def test_what_json_lacks_is_refused() -> None:
    with pytest.raises(TypeError):
        json_text({"a": {1, 2}})
