"""Templates of the workspace that replace nothing: misspelt names would otherwise be passed over in silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from stowplan.diagnostics.model import Diagnostic, warning
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.source.document import TemplateFile
from stowplan.source.span import Span

__all__ = ["idle_templates"]

_FOLDER = "templates/"


def idle_templates(templates: Iterable[TemplateFile], builtin: Mapping[str, str]) -> Iterator[Diagnostic]:
    """A warning for each template below `templates/` that has no built-in name and that no other one mentions."""
    given = tuple(templates)
    for template in given:
        name = template.path.removeprefix(_FOLDER)
        if name == template.path or name in builtin:
            continue
        if not any(name in other.text for other in given if other is not template):
            yield warning(
                "SP0721",
                f"no built-in template is named `{name}`, and none of yours includes it",
                Span(template.path, 1, 1, 1, 1),
                "has no effect",
                helps=did_you_mean(name, builtin),
            )
