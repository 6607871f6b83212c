"""All rules by code and by name; a rule's module is loaded when somebody asks for it."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Final

from stowplan.diagnostics.locator import RuleText
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.rules import catalogue
from stowplan.rules.model import Rule
from stowplan.rules.page import Page, read_page

__all__ = ["REGISTRY", "Registry"]

_MODULE: Final = re.compile(r"sp(?P<number>\d{4})_(?P<name>[a-z0-9_]+)")
_DOCUMENTATION: Final = "docs/rules.md"


class Registry:
    """The catalogue. Codes and names come from the names of the modules, so that listing them loads none."""

    def __init__(self) -> None:
        self._pages: dict[str, Page] = {}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The name of every rule by its code, in the order of codes.

        Raises:
            ValueError: two modules have one code or one name, or a module is not named like a rule.
        """
        return MappingProxyType({code: name for code, (name, _) in self._modules.items()})

    @cached_property
    def codes_by_name(self) -> Mapping[str, str]:
        """The code of every rule, by its name and by the code itself."""
        return MappingProxyType({name: code for code, name in self.names.items()} | {code: code for code in self.names})

    def find(self, code_or_name: str) -> Page | None:
        """The page of a rule (codes in either letter case), None where there is no such rule."""
        code = self.codes_by_name.get(code_or_name) or self.codes_by_name.get(code_or_name.upper())
        return self._page(code) if code else None

    def did_you_mean(self, code_or_name: str) -> tuple[str, ...]:
        """The help for a code or name that is unknown; empty where nothing resembles it."""
        return did_you_mean(code_or_name, self.codes_by_name)

    def describe(self, code: str) -> RuleText | None:
        """The rule of a code as reports name it."""
        page = self._page(code) if code in self.names else None
        if page is None:
            return None
        return RuleText(code, page.rule.name, page.summary, f"{_DOCUMENTATION}#{code.lower()}")

    def pages(self) -> Iterator[Page]:
        """Every page, in the order of codes."""
        return (self._page(code) for code in self.names)

    def _page(self, code: str) -> Page:
        if code not in self._pages:
            module = import_module(f"{catalogue.__name__}.{self._modules[code][1]}")
            rule: Rule = module.RULE
            self._pages[code] = read_page(rule, module.__doc__ or "")
        return self._pages[code]

    @cached_property
    def _modules(self) -> Mapping[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for name in sorted(module.name for module in pkgutil.iter_modules(catalogue.__path__)):
            match = _MODULE.fullmatch(name)
            if match is None:
                raise ValueError(f"rules/catalogue/{name}.py is not named like a rule")
            code, rule_name = f"SP{match['number']}", match["name"].replace("_", "-")
            if code in found or any(rule_name == other for other, _ in found.values()):
                raise ValueError(f"rules/catalogue/{name}.py uses a code or a name that another rule has")
            found[code] = (rule_name, name)
        return MappingProxyType(found)


REGISTRY: Final = Registry()
"""The rules shipped with the compiler."""
