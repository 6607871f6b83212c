"""The example workspace with policies put in, and shortcuts to what a compile found."""

from __future__ import annotations

from pathlib import Path

from stowplan.diagnostics.model import Diagnostic
from stowplan.driver import Compilation, compile_workspace
from stowplan.source.files import SourceTree

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "data" / "example"

HEAD = "apiVersion: stowplan.io/v1alpha1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n"


def guardrail(name: str, body: str) -> str:
    """A GuardrailPolicy with this text as its spec, two spaces deep."""
    return HEAD.format(kind="GuardrailPolicy", name=name) + body


def exemption(*entries: str) -> str:
    """An Exemption of entries in flow style."""
    return HEAD.format(kind="Exemption", name="house") + "  exemptions:\n" + "".join(f"    - {e}\n" for e in entries)


def compiled(**policies: str) -> Compilation:
    """The example compiled with further files below `policies/`."""
    texts: dict[str, str | bytes] = {
        path.relative_to(EXAMPLE).as_posix(): path.read_bytes() for path in sorted(EXAMPLE.rglob("*")) if path.is_file()
    }
    texts.update({f"policies/{name}.yaml": text for name, text in policies.items()})
    return compile_workspace(SourceTree.from_texts(texts))


def found(done: Compilation, code: str) -> list[Diagnostic]:
    """The findings of a code."""
    return [d for d in done.diagnostics if d.code == code]


def line_of(done: Compilation, diagnostic: Diagnostic) -> str:
    """`path:line` of a finding."""
    from stowplan.diagnostics.placed import place_all

    place = place_all((diagnostic,), done.tree.locate)[0].primary.place
    assert place is not None and place.span is not None
    return f"{place.path}:{place.span.line}"
