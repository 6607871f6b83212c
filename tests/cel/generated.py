"""Random expressions and values, as hypothesis strategies."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import strategies as st

__all__ = ["expressions", "loose_booleans", "typed_booleans", "typed_variables", "values", "variables"]

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


def loose_booleans() -> st.SearchStrategy[str]:
    """Comparisons of anything with anything, within what other engines have too."""
    inner = expressions(extended=False)
    return st.tuples(inner, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner).map(
        lambda t: f"({t[0]}) {t[1]} ({t[2]})"
    )


def typed_variables() -> st.SearchStrategy[dict[str, Any]]:
    """A `self` whose fields have the types that `typed_booleans` expects, some of them missing."""
    numbers = st.integers(-3, 3) | st.sampled_from([2**63 - 1, -(2**63)])
    fields = {
        "n": numbers, "m": numbers, "d": st.sampled_from([0.0, 1.0, -1.5, 2.5]), "s": TEXTS, "t": TEXTS,
        "flag": st.booleans(), "numbers": st.lists(st.integers(-2, 3), max_size=4), "words": st.lists(TEXTS, max_size=4),
        "map": st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(-2, 3), max_size=3),
        "rows": st.lists(st.fixed_dictionaries({}, optional={"n": st.integers(-2, 3), "s": TEXTS}), max_size=3),
    }  # fmt: skip
    return st.fixed_dictionaries({"self": st.fixed_dictionaries({}, optional=fields), "old": st.integers(-3, 3)})


def _fill(template: str, pools: dict[str, st.SearchStrategy[str]]) -> st.SearchStrategy[str]:
    """A template whose upper-case letters N, S and B stand for a number, a string and a bool."""
    parts = [pools[c].map(lambda text: f"({text})") if c in pools else st.just(c) for c in template]
    return st.tuples(*parts).map("".join)


def typed_booleans(depth: int = 3) -> st.SearchStrategy[str]:
    """Expressions whose parts fit together, so that most evaluations decide something."""
    pools: dict[str, st.SearchStrategy[str]] = {
        "N": st.sampled_from(["0", "1", "-2", "3", "self.n", "self.m", "old", "self.map.a", "self.numbers[0]", "self.rows[1].n"]),
        "S": TEXTS.map(_quoted) | st.sampled_from(["self.s", "self.t", "self.words[0]", "self.rows[0].s"]),
        "B": st.sampled_from(["true", "false", "self.flag", "has(self.s)", "has(self.map.a)", "'a' in self.map", "1 / 0 == 1"]),
    }  # fmt: skip
    templates = {
        "N": ["N + N", "N - N", "N * N", "N / N", "N % N", "-N", "B ? N : N", "size(S)", "size(self.words)", "int(string(N))",
              "self.numbers.filter(x, x > N).size()", "self.numbers.map(x, x * N)[0]", "[N, N][0]", "{'k': N}.k"],
        "S": ["S + S", "B ? S : S", "string(N)", "[S, S][1]", "{'k': S}['k']"],
        "B": ["N == N", "N != N", "N < N", "N <= N", "N > N", "N >= N", "S == S", "S != S", "S < S", "S >= S", "!B", "B && B", "B || B",
              "B && B || B", "B == B", "B ? B : B", "N in self.numbers", "S in self.words", "N in [1, N]", "S in self.map",
              "S.startsWith(S)", "S.endsWith(S)", "S.contains(S)", "S.matches('^[a-z]*')", "self.numbers.all(x, x > N || B)",
              "self.numbers.exists(x, N / x == 1 && B)", "self.rows.all(r, has(r.n) && r.n > N)", "self.rows.exists(r, r.n > N)",
              "self.rows.exists_one(r, r.s == S)", "self.map.all(k, self.map[k] >= N)", "self.numbers == [N, N]", "self.d < double(N)",
              "self.words.exists(w, self.words.all(v, w >= v) || w == S)", "dyn(N) == dyn(self.d)", "type(N) == int"],
    }  # fmt: skip
    for _ in range(depth):
        previous = dict(pools)
        for kind, texts in templates.items():
            grown = st.sampled_from(texts).flatmap(partial(_fill, pools=previous))
            pools[kind] = previous[kind] | grown | grown
    return pools["B"]
