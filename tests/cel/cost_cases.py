"""What rules cost by the reckoning of API servers; `tests/e2e/test_product_expressions.py` asks a real one about the same rows."""

from __future__ import annotations

from typing import Any

__all__ = ["COSTS", "DEFINITIONS", "SCHEMA"]

_TEXT = {"type": "string", "maxLength": 10}
_WORDS = {"type": "array", "maxItems": 6, "items": _TEXT}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": _TEXT,
        "free": {"type": "string"},
        "kind": {"type": "string", "enum": ["a", "bcd"]},
        "n": {"type": "integer"},
        "when": {"type": "string", "format": "date-time"},
        "raw": {"type": "string", "format": "byte", "maxLength": 100},
        "size": {"x-kubernetes-int-or-string": True},
        "words": _WORDS | {"maxItems": 5},
        "open": {"type": "array", "items": _TEXT},
        "labels": {"type": "object", "maxProperties": 3, "additionalProperties": _TEXT},
        "rows": {
            "type": "array",
            "maxItems": 4,
            "items": {"type": "object", "properties": {"id": _TEXT, "tags": _WORDS, "port": {"type": "integer"}}},
        },
    },
}
"""Texts, lists, and maps with bounds and without."""

COSTS: list[tuple[str, int]] = [
    ("true", 0),
    ("self.n > 0", 3),
    ("self.name == 'abc'", 3),
    ("self.free == self.free", 314577),
    ("self.kind == 'a'", 3),
    ("has(self.name) && self.name != ''", 3),
    ("self.n > 0 ? self.name == 'a' : self.free.contains('b')", 314578),
    ("self.name.matches('^[a-z]+$')", 12),
    ("self.words.all(w, w.startsWith('ab'))", 28),
    ("self.words.exists(w, w == self.name)", 58),
    ("self.words.exists_one(w, w == 'a')", 24),
    ("self.open.all(w, self.open.exists_one(v, v == w))", 8796083585028),
    ("self.words.map(w, w + 'x').size() > 1", 105),
    ("self.words.map(w, w != '', w)[0] == 'a'", 85),
    ("self.words.filter(w, w != '')[0] == 'a'", 85),
    ("self.words.join(',').size() < 3", 25),
    ("self.name.replace('a', 'bcd') == 'b'", 11),
    ("self.name.split('').size() < 4", 12),
    ("self.labels.all(k, self.labels[k] == k)", 27),
    ("self.labels.transformMap(k, v, v + k) == self.labels", 63),
    ("self.labels.transformList(k, v, k + v).join() == ''", 1844674407370955331),
    ("self.rows.all(r, r.tags.all(t, t == r.id))", 1627),
    ("self.rows.all(r, r.tags.all(t, t == 'a'))", 147),
    ("self.rows[0].tags.exists(t, t == self.name)", 71),
    ("self.words.sortBy(w, size(w)) == self.words", 159),
    ("self.words.sort() == self.words", 69),
    ("self.words.distinct().size() == 1", 65),
    ("lists.range(7).size() == 7", 20),
    ("lists.range(self.n).size() == 7", 18446744073709551615),
    ("self.words.slice(1, 3) == self.words", 18),
    ("[self.words, self.words].flatten().size() == 2", 29),
    ("sets.intersects(self.words, ['a', 'b'])", 23),
    ("'a' in self.words", 7),
    ("'a' in self.labels", 3),
    ("dyn(self.n) + 1 == 2", 5),
    ("self.size == 3", 3),
    ("type(self.size) == int", 4),
    ("self.?name.optMap(x, x + 'a').orValue('b') == 'c'", 1844674407370955284),
    ("quantity(self.name).isGreaterThan(quantity('1'))", 8),
    ("url(self.name) == url('a')", 8),
    ("ip(self.name) == ip('10.0.0.1')", 8),
    ("cidr('10.0.0.0/8').containsIP(self.name)", 11),
    ("cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", 10),
    ("format.dns1123Label().validate(self.name).hasValue()", 132),
    ("'%s-%s'.format([self.name, self.n]) == ''", 15),
    ("self.name.find('[a-z]+') == ''", 12),
    ("string(self.raw) == self.name", 18),
    ("bytes(self.name) == self.raw", 18),
    ("!!(self.n > 1)", 3),
    ("-self.n > -1", 4),
    ("{'a': self.name}['a'] == 'b'", 34),
    ("self.words.indexOf('a') == 1", 28),
    ("self.words.max() == 'a'", 28),
    ("self.name.indexOf('a') == 1", 7),
    ("oldSelf.name == self.name", 8),
]
"""Rules of that schema, with what one evaluation costs at most."""

_SLOW = "self.all(a, self.all(b, a == b))"
_MESSAGE = {"rule": "true", "messageExpression": "self.map(t, t + t).join()"}


def _ruled(schema: dict[str, Any], *rules: str) -> dict[str, Any]:
    return schema | {"x-kubernetes-validations": [{"rule": rule} for rule in rules]}


def _listed(schema: dict[str, Any], limit: int | None = None) -> dict[str, Any]:
    return {"type": "array", "items": schema} | ({} if limit is None else {"maxItems": limit})


def _mapped(schema: dict[str, Any], limit: int | None = None) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": schema} | ({} if limit is None else {"maxProperties": limit})


_MATCHES = _ruled(_TEXT, "self.matches('^a+$')")
_RULE = "estimated rule cost exceeds budget by factor of "
_PART = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
_ALL = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of "

DEFINITIONS: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "bounded": (_ruled(_listed(_TEXT, 1000), _SLOW), []),
    "slow": (_ruled(_listed(_TEXT, 2000), _SLOW), [("x-kubernetes-validations[0].rule", _RULE + "3.6x")]),
    "few": (_listed(_MATCHES, 10), []),
    "for-every-value": (_listed(_listed(_MATCHES, 2000), 1000), [("items.items.x-kubernetes-validations[0].rule", _RULE + "1.200000x")]),
    "as-many-as-find-room": (_listed(_ruled(_TEXT, "self == 'abc'", "self.matches('^[a-z0-9]+(-[a-z0-9]+)*$')")), [("items.x-kubernetes-validations[1].rule", _RULE + "3.3x")]),
    "in-open-maps": (_mapped(_mapped(_MATCHES, 2), None), []),
    "in-maps": (_mapped(_mapped(_MATCHES, 2000), 1000), [("additionalProperties.x-kubernetes-validations[0].rule", _RULE + "1.200000x")]),
    "objects-that-need-room": (
        _listed(_ruled({"type": "object", "required": ["n"], "properties": {"n": _TEXT, "m": {"type": "string"}}}, "self.m != self.n")), [],
    ),
    "all-together": (
        _ruled(_listed(_TEXT, 600), *[_SLOW.replace("a == b", f"a == b + '{'x' * (10 * n)}'") for n in range(15)]),
        [*((f"x-kubernetes-validations[{n}].rule", _PART) for n in (14, 13, 12, 11)), ("openAPIV3Schema", _ALL + "1.080450x")],
    ),
    "message": (_listed(_TEXT | {"x-kubernetes-validations": [_MESSAGE | {"messageExpression": "self + self"}]}), []),
    "slow-message": (_listed({"type": "string"}) | {"x-kubernetes-validations": [_MESSAGE]}, [
        ("messageExpression", "estimated messageExpression cost exceeds budget by factor of more than 100x"),
        ("messageExpression", _PART), ("openAPIV3Schema", _ALL + "more than 100x"),
    ]),
}  # fmt: skip
"""Schemas of `spec` with rules, and what is said of their cost, by the end of the place."""
