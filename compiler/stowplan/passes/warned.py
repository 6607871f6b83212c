"""What an API server would accept and warn of in the users' own manifests; what is rendered follows what is served."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stowplan.diagnostics.model import Diagnostic, warning
from stowplan.model.rendered import RenderedObject
from stowplan.passes.validate import SchemasFor

__all__ = ["server_warnings"]

_OWN = "component/"


def server_warnings(objects: Iterable[RenderedObject], schemas_for: SchemasFor) -> Iterator[Diagnostic]:
    """SP0813, once for an object of a component and all the clusters that it goes to. The objects are sound."""
    targets: dict[tuple[str, str, str], dict[str, None]] = {}
    places: dict[tuple[str, str, str], RenderedObject] = {}
    for made in objects:
        if not made.manifest.source.startswith(_OWN):
            continue
        kind = schemas_for(made.unit.target).kind(made.api_version, made.kind)
        for text in kind.judge(made.object).warnings if kind is not None else ():
            key = (made.manifest.source, made.reference, text)
            places.setdefault(key, made)
            targets.setdefault(key, {})[made.unit.target.name] = None
    for key, made in places.items():
        yield warning(
            "SP0813", f"the API server would warn of {made.reference}: {key[2]}", made.manifest.origins[()],
            subject=made.reference, targets=tuple(sorted(targets[key])),
        )  # fmt: skip
