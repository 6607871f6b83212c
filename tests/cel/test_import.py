"""What importing the package costs."""

from __future__ import annotations

import subprocess
import sys

import stowplan.cel

SLOW = ("re2", "pydantic", "jinja2", "kubernetes", "yaml", "ipaddress", "zoneinfo", "urllib.parse", "difflib")


def loaded(code: str) -> list[str]:
    script = (
        f"import sys; {code}; print(*sorted(m for m in sys.modules if m.startswith('stowplan.cel') or m in {SLOW!r}))"
    )
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_importing_the_package_loads_nothing_else() -> None:
    assert loaded("import stowplan.cel") == ["stowplan.cel"]


def test_compiling_loads_no_slow_library() -> None:
    modules = loaded("from stowplan.cel import compile_expression")
    assert not set(modules) & set(SLOW)
    assert "stowplan.cel.generator" not in modules


def test_every_public_name_can_be_had() -> None:
    for name in stowplan.cel.__all__:
        assert getattr(stowplan.cel, name) is not None
