"""What can be wrong with a file before anybody knows what it means, as plain records."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from stowplan.source.span import Span

__all__ = ["Problem", "ProblemKind"]


class ProblemKind(enum.Enum):
    """One member for each kind of problem; `diagnostics.from_source` gives each its code and wording."""

    INVALID_YAML = "invalid-yaml"
    DUPLICATE_KEY = "duplicate-key"
    UNSUPPORTED_TAG = "unsupported-yaml-tag"
    AMBIGUOUS_SCALAR = "ambiguous-plain-scalar"
    INVALID_ENCODING = "invalid-encoding"
    FORBIDDEN_CHARACTER = "forbidden-character"
    NON_STRING_KEY = "non-string-key"
    MERGE_KEY = "merge-key"
    ALIAS = "unusable-alias"
    NUMBER = "unrepresentable-number"
    TOO_LARGE = "input-over-budget"
    UNUSABLE_FILE = "unusable-file"
    TOO_MANY_PROBLEMS = "too-many-problems"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of one file.

    `at` is None where there is no text to show (the file was not read). `value` is what the user wrote, as far as it
    helps. `details` are the facts of that kind, in an order that `diagnostics.from_source` knows. `related` is a
    second place: the first of two keys, the start of an unclosed bracket.
    """

    kind: ProblemKind
    path: str
    at: Span | None
    value: str = ""
    details: tuple[str, ...] = ()
    related: Span | None = None
