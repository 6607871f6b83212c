"""Random expressions and values, as hypothesis strategies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["booleans", "expressions", "values", "variables"]

FIELDS = ("a", "b", "list", "map", "text")
TEXTS = st.sampled_from(["", "a", "ab", "gpu-1", "10.0.0.1", "1.5Gi", "2h", "é", "-1", "x'y", 'q"', "\\", "{}", "%s"])


def values() -> st.SearchStrategy[Any]:
    """JSON values, some of which expressions will meet with the wrong type."""
    leaves = st.one_of(
        st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([2**63 - 1, -(2**63), 2**53 + 1]),
        st.sampled_from([0.0, 1.0, 1.5, -2.0]), TEXTS,
    )  # fmt: skip
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
        max_leaves=6,
    )


def variables() -> st.SearchStrategy[dict[str, Any]]:
    """Values of `self` and `old`."""
    self_ = st.fixed_dictionaries({}, optional={name: values() for name in FIELDS})
    return st.fixed_dictionaries({"self": self_, "old": values()})


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _literals() -> st.SearchStrategy[str]:
    return st.one_of(
        st.integers(-3, 3).map(str), st.sampled_from(["1u", "0u", "1.5", "0.0", "9223372036854775807", "true", "false", "null"]),
        TEXTS.map(_quoted), st.sampled_from(["[]", "{}", "[1, 2]", "['a', 'ab']", "{'a': 1}"]),
    )  # fmt: skip


def _paths() -> st.SearchStrategy[str]:
    roots = st.sampled_from(["self", "self.a", "self.b", "self.list", "self.map", "self.text", "self.map.a", "old"])
    return roots | st.sampled_from(["self.list[0]", "self.map['b']", "self['a']", "x", "y"])


def _operations(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def fill(template: str) -> st.SearchStrategy[str]:
        parts = template.split("@")
        return st.tuples(*[inner] * (len(parts) - 1)).map(
            lambda found: "".join(a + f"({b})" for a, b in zip(parts, found, strict=False)) + parts[-1]
        )

    return st.sampled_from(TEMPLATES).flatmap(fill)


TEMPLATES = (
    "@ + @", "@ - @", "@ * @", "@ / @", "@ % @", "-@", "@[@]", "@ == @", "@ != @", "@ < @", "@ <= @", "@ > @", "@ >= @",
    "@ in @", "@ && @", "@ || @", "@ || @ || @", "!@", "@ ? @ : @", "[@, @]", "{'a': @, 'b': @}", "size(@)", "string(@)", "int(@)",
    "double(@)", "type(@) == type(@)", "@.startsWith(@)", "@.contains(@)", "@.matches('^[a-z]+')", "@.endsWith('a')",
    "@.all(x, @)", "@.exists(x, @)", "@.exists_one(x, @)", "@.filter(x, @)", "@.map(x, @)", "@.map(x, @, @)",
    "@.all(x, y, @)", "@.exists(x, y, @)",
)  # fmt: skip
EXTENDED = (
    "@.?a.orValue(@)", "@[?@].hasValue()", "optional.of(@).optMap(x, @)", "@.transformList(x, y, @)",
    "@.transformMap(x, y, @)", "@.sortBy(x, @)", "cel.bind(x, @, @)", "@.split(@)", "@.replace(@, @)", "@.join(@)",
    "@.substring(@)", "@.indexOf(@)", "'%s %d'.format([@, @])", "@.sum()", "@.max()", "@.sort()", "@.distinct()",
    "@.flatten()", "sets.contains(@, @)", "quantity(@).isLessThan(quantity(@))", "isQuantity(@)", "isIP(@)",
    "duration(@) < duration(@)", "math.greatest(@, @)", "[?optional.of(@), @]", "@.find(@)", "@.matches(@)",
    "lists.range(@)", "@.slice(@, @)", "@.first()", "has(self.a) && @", "has(self.map.a) || @",
)  # fmt: skip


def expressions(extended: bool = True) -> st.SearchStrategy[str]:
    """Expressions over `self` and `old`; loop variables may be used where they are unbound."""
    base = _literals() | _paths()
    if not extended:
        return st.recursive(base, _operations, max_leaves=8)

    def operations(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        def fill(template: str) -> st.SearchStrategy[str]:
            parts = template.split("@")
            return st.tuples(*[inner] * (len(parts) - 1)).map(
                lambda found: "".join(a + f"({b})" for a, b in zip(parts, found, strict=False)) + parts[-1]
            )

        return st.sampled_from(TEMPLATES + EXTENDED).flatmap(fill)

    return st.recursive(base, operations, max_leaves=8)


def booleans() -> st.SearchStrategy[str]:
    """Expressions that give a bool when they give anything, within what other engines have too."""
    inner = expressions(extended=False)
    compared = st.tuples(inner, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner).map(
        lambda t: f"({t[0]}) {t[1]} ({t[2]})"
    )
    loops = st.tuples(
        st.sampled_from(["self.list", "self.map", "[1, 2, 3]"]), st.sampled_from(["all", "exists"]), compared
    )
    tests = compared | loops.map(lambda t: f"{t[0]}.{t[1]}(x, {t[2]})")
    return st.lists(tests, min_size=1, max_size=3).flatmap(
        lambda parts: st.sampled_from([" && ", " || "]).map(lambda joiner: joiner.join(f"({p})" for p in parts))
    )
