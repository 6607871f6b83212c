"""Random CEL rules over a schema of every sort of field: most parts fit together, some do not."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["SPEC", "ExpressionMaker", "define", "definition", "repeated", "specs"]

_TEXT = {"type": "string", "maxLength": 40}
SPEC: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "m": {"type": "integer", "format": "int64"},
        "small": {"type": "integer", "format": "int32"},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "s": dict(_TEXT),
        "t": dict(_TEXT),
        "day": {"type": "string", "format": "date"},
        "when": {"type": "string", "format": "date-time"},
        "wait": {"type": "string", "format": "duration"},
        "raw": {"type": "string", "format": "byte", "maxLength": 40},
        "size": {"x-kubernetes-int-or-string": True},
        "maybe": {"type": "string", "nullable": True, "maxLength": 40},
        "numbers": {"type": "array", "maxItems": 4, "items": {"type": "integer"}},
        "words": {"type": "array", "maxItems": 4, "items": dict(_TEXT)},
        "names": {"type": "array", "maxItems": 4, "x-kubernetes-list-type": "set", "items": dict(_TEXT)},
        "labels": {"type": "object", "maxProperties": 4, "additionalProperties": dict(_TEXT)},
        "counts": {"type": "object", "maxProperties": 4, "additionalProperties": {"type": "integer"}},
        "rows": {
            "type": "array",
            "maxItems": 4,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": dict(_TEXT), "port": {"type": "integer"}, "at": {"type": "string", "format": "date-time"}},
            },
        },
        "namespace": dict(_TEXT),
        "a-b": dict(_TEXT),
        "a__b": {"type": "integer"},
        "x.y": {"type": "integer"},
        "deep": {"type": "object", "properties": {"in": {"type": "object", "properties": {"n": {"type": "integer"}}}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"n": {"type": "integer"}}},
    },
}  # fmt: skip
"""A field for every type that rules see: escaped names, formats with types of their own, lists of all three sorts."""

_FIELDS: Final[Mapping[str, str]] = {
    "I": "self.n self.m self.small self.rows[0].port self.counts['a'] self.counts.b self.numbers[0] self.a__underscores__b "
    "self.x__dot__y self.deep.__in__.n self.free.n int(self.ratio)",
    "D": "self.ratio",
    "B": "self.flag has(self.s) has(self.rows) has(self.labels.a) has(self.deep.__in__.n) has(self.maybe)",
    "S": "self.s self.t self.words[0] self.labels['a'] self.labels.b self.rows[0].name self.a__dash__b self.__namespace__ "
    "self.maybe",
    "T": "self.when self.day self.rows[0].at",
    "R": "self.wait",
    "Y": "self.raw",
    "N": "self.numbers",
    "L": "self.words self.names",
    "M": "self.labels",
    "C": "self.counts",
    "W": "self.rows",
    "X": "self.size dyn(self.n) dyn(self.s)",
}  # fmt: skip
_TEXTS: Final = (
    "", "a", "b", "ab", "abc", "é", "日本", "😀x", "A-b", " x ", "a/b/c", "10.0.0.1", "::1", "10.0.0.0/8", "fd00::/7", "::ffff:10.0.0.1", "1.5Gi",
    "500m", "-2", "1e3", "1Ki", "1h30m", "-1.5s", "1d", "90s", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5+02:00", "2026-01-02",
    "https://user@example.com:8443/a%20b?x=1&x=2#f", "http://[::1]/", "/path", "nope nope", "1.2.3", "v1.2.3", "1.2", "1.0.0-rc.1+b", "true", "42",
    "0x1f", "3.25", "NaN", "example.com", "Bad_", "a.b-c", "kubernetes.io/x", "YQ==", "%s",
)  # fmt: skip
_PATTERNS: Final = (
    "^[a-z]+$", "[0-9]+", "a|b", "", "(a)(b)?", "\\\\d+", "^v?[0-9.]+", "[[:alpha:]]", "\\\\pL", "(?i)A", "a{1,3}", "(a)\\\\1", "[", "a**", "(?=a)", "\\\\bx",
)  # fmt: skip
_NUMBERS: Final = (
    "0", "1", "2", "-1", "3", "7", "100", "0x1F", "9223372036854775807", "-9223372036854775808", "1000000007",
)  # fmt: skip
_DOUBLES: Final = ("0.0", "1.5", "-2.5", "1e3", "1e308", "0.1", "3.0", "1.0 / 0.0", "0.0 / 0.0", "-0.0")
_ZONES: Final = ("UTC", "+02:00", "-08:30", "Europe/Berlin", "Nowhere/Land", "02:00")
_FORMATS: Final = ("%s", "%d", "%.2f", "%e", "%x", "%X", "%o", "%b", "%s and %s", "%%", "%", "%q", "%.1s")

_TEMPLATES: Final[Mapping[str, str]] = {
    "I": "@I + @I|@I - @I|@I * @I|@I / @I|@I % @I|-@I|@B ? @I : @I|size(@S)|@S.size()|size(@L)|size(@M)|size(@Y)|int(@S)|int(@D)|"
    "int(@U)|int(@T)|int(@R)|@N.sum()|@N.max()|@N.min()|@N[@I]|@N.indexOf(@I)|@N.lastIndexOf(@I)|@S.indexOf(@S)|@S.indexOf(@S, @I)|"
    "@S.lastIndexOf(@S)|@S.lastIndexOf(@S, @I)|@T.getFullYear()|@T.getMonth()|@T.getDayOfMonth()|@T.getDate()|@T.getDayOfWeek()|@T.getDayOfYear()|"
    "@T.getHours()|@T.getHours(@Z)|@T.getMinutes(@Z)|@T.getSeconds()|@T.getMilliseconds()|@T.getDate(@Z)|@R.getHours()|@R.getMinutes()|"
    "@R.getSeconds()|@R.getMilliseconds()|sign(@Q)|@Q.asInteger()|@Q.compareTo(@Q)|@V.major()|@V.minor()|@V.patch()|@V.compareTo(@V)|"
    "@A.family()|@K.prefixLength()|@O.orValue(@I)|@O.value()|@C[@S]|@W[@I].port|@N.filter(x, x > @I).size()|@N.map(x, x * @I)[0]|"
    "@W.map(r, r.port).sum()|lists.range(@J).size()|@N.slice(@J, @J).size()|@C.map(k, @C[k])[0]|@N.sort()[0]|@N.reverse()[0]|@O.optMap(x, x + @I).orValue(0)",
    "U": "@U + @U|@U - @U|@U * @U|@U / @U|@U % @U|uint(@I)|uint(@D)|uint(@S)|@B ? @U : @U|0u|3u|18446744073709551615u",
    "D": "@D + @D|@D - @D|@D * @D|@D / @D|-@D|double(@I)|double(@S)|double(@U)|@Q.asApproximateFloat()|@B ? @D : @D|[@D, @D].max()|[@D, @D].sum()",
    "S": "@S + @S|@B ? @S : @S|string(@I)|string(@U)|string(@D)|string(@B)|string(@T)|string(@R)|string(@Y)|string(@A)|string(@K)|"
    "@S.charAt(@J)|@S.lowerAscii()|@S.upperAscii()|@S.substring(@J)|@S.substring(@J, @J)|@S.trim()|@S.replace(@S, @S)|@S.replace(@S, @S, @J)|"
    "@L.join(@S)|@L.join()|@L[@J]|@M[@S]|@S.split(@S)[@J]|@S.split(@S, @J).join('-')|@S.find(@P)|@S.findAll(@P).join(',')|@S.findAll(@P, @J).join(',')|"
    "@G.getScheme()|@G.getHost()|@G.getHostname()|@G.getPort()|@G.getEscapedPath()|@G.getQuery()['x'].join('+')|@E.format([@S])|@E.format([@I])|@E.format([@D])|"
    "@E.format([@S, @B])|@E.format([@T])|@E.format([@R])|@E.format([@L])|@E.format([@M])|strings.quote(@S)|@H.validate(@S).value()[0]|@H.validate(@S).orValue([]).join(';')|"
    "@W[@J].name|@W.map(r, r.name).join(',')|@L.map(w, w + @S).join('/')|@L.filter(w, w != @S).join('/')|@M.map(k, k + @M[k]).join(',')|@L.sort().join(',')|@L.distinct().join(',')|"
    "@L.first().orValue(@S)|@L.last().orValue(@S)|[@L, @L].flatten().join('')|type(@I) == int ? @S : @S|@M.transformList(k, v, k + v).join(',')|@K.ip() == @A ? @S : @S|string(@K.masked())",
    "B": "@I == @I|@I != @I|@I < @I|@I <= @I|@I > @I|@I >= @I|@I < @D|@D >= @U|@I == @X|@U > @U|@S == @S|@S != @S|@S < @S|@S >= @S|@D == @D|@D < @D|@B == @B|"
    "@T < @T|@T == @T|@R > @R|@R == @R|@Y == @Y|@Y < @Y|@L == @L|@N == @N|@M == @M|!@B|@B && @B|@B \\|\\| @B|@B ? @B : @B|@I in @N|@S in @L|@S in @M|@X in [@X, @X]|"
    "@S.startsWith(@S)|@S.endsWith(@S)|@S.contains(@S)|@S.matches(@P)|matches(@S, @P)|@N.all(x, x > @I)|@N.exists(x, @I / x == 1)|@N.exists_one(x, x == @I)|@L.all(w, w.size() < @I)|"
    "@L.exists(i, w, i == @I && w == @S)|@M.all(k, v, k < v)|@M.exists(k, @M[k] == @S)|@W.all(r, has(r.port) && r.port > @I)|@W.exists(r, r.name == @S \\|\\| @B)|@W.exists_one(r, r.port == @I)|"
    "@C.all(k, @C[k] > @I)|@W.all(a, @W.exists_one(b, a.name == b.name))|isQuantity(@S)|@Q.isInteger()|@Q.isGreaterThan(@Q)|@Q.isLessThan(@Q)|@Q == @Q|isURL(@S)|isIP(@S)|ip.isCanonical(@S)|"
    "@A == @A|@A.isLoopback()|@A.isUnspecified()|@A.isGlobalUnicast()|@A.isLinkLocalUnicast()|isCIDR(@S)|@K.containsIP(@A)|@K.containsIP(@S)|@K.containsCIDR(@K)|@K.containsCIDR(@S)|@K == @K|"
    "isSemver(@S)|isSemver(@S, @B)|@V.isGreaterThan(@V)|@V.isLessThan(@V)|@V == @V|@H.validate(@S).hasValue()|format.named(@S).hasValue()|@N.isSorted()|@L.isSorted()|sets.contains(@N, @N)|"
    "sets.equivalent(@L, @L)|sets.intersects(@N, [@I, @I])|@O.hasValue()|@O == @O|type(@X) == @TY|type(@S) == string|bool(@S)|self.?maybe.hasValue()|self.?labels[?'a'].hasValue()|"
    "@M[?@S].orValue(@S) == @S|@N[?@J].hasValue()|has(self.free.n)|self.maybe == null|@X == null|@G == @G|@W[0] == @W[@J]|dyn(@I) == dyn(@D)|dyn(@S) == @X|"
    "{'a': @I} == {'a': @I}|{'a': @I, 'b': @S}.size() == 2|{@S: @I}[@S] == @I|[@I, @I] == @N|[@S, @I].size() == @J|@Q.add(@Q) == @Q|@N.map(x, x > @I, x + 1) == @N|"
    "@N.transformList(i, x, i + x) == @N|@M.transformMap(k, v, v + k) == @M|@M.transformMapEntry(k, v, {v: k}) == @M|@L.sortBy(w, w.size()) == @L|@N + @N == @N|cel.bind(z, @I, z == z)|math.greatest(@I, @I) == @I",
    "T": "timestamp(@S)|timestamp(@I)|@T + @R|@R + @T|@T - @R|timestamp('2026-01-02T03:04:05Z')|@B ? @T : @T",
    "R": "duration(@S)|@R + @R|@R - @R|@T - @T|duration('90s')|duration('-1h')|-@R|@B ? @R : @R",
    "Y": "bytes(@S)|@Y + @Y|b'a\\xff'|b'hi'",
    "N": "[@I, @I]|[]|[@I]|@N + @N|@N.filter(x, x != @I)|@N.map(x, -x)|@W.map(r, r.port)|@N.sort()|@N.distinct()|@N.reverse()|lists.range(@J)|@N.slice(@J, @J)|@C.map(k, @C[k])",
    "L": "[@S, @S]|[]|@L + @L|@S.split(@S)|@L.filter(w, w != '')|@M.map(k, k)|@S.findAll(@P)|@L.sort()|@L.reverse()|@W.map(r, r.name)|[?@O2, @S]",
    "M": "{'a': @S}|{}|{'a': @S, 'b': @S}|{@S: @S}|{?'a': @O2}",
    "C": "{'a': @I}|{'b': @I, 'a': @I}",
    "W": "@W.filter(r, r.name != @S)",
    "X": "dyn(@D)|dyn(@B)|dyn(@L)|@I|@S|null|@X",
    "Q": "quantity(@S)|quantity('1.5Gi')|quantity('500m')|quantity(string(@I))|@Q.add(@Q)|@Q.sub(@Q)|@Q.add(@I)|@Q.sub(@I)",
    "A": "ip(@S)|ip('10.0.0.1')|ip('fe80::1')|@K.ip()",
    "K": "cidr(@S)|cidr('10.0.0.0/8')|cidr('10.1.2.3/16')|cidr('fd00::/8')|@K.masked()",
    "G": "url(@S)|url('https://example.com:80/a?x=1&x=2')|url('http://[fe80::1%25en0]:1/')",
    "V": "semver(@S)|semver('1.2.3')|semver('2.0.0-rc.1')|semver(@S, true)|semver('v1.2', @B)",
    "H": "format.dns1123Label()|format.dns1123Subdomain()|format.dns1035Label()|format.qualifiedName()|format.labelValue()|format.uri()|format.uuid()|format.byte()|format.date()|format.datetime()|"
    "format.dns1123LabelPrefix()|format.dns1035LabelPrefix()|format.dns1123SubdomainPrefix()|format.named('dns1123Label').value()|format.named(@S).value()",
    "O": "optional.of(@I)|optional.none()|optional.ofNonZeroValue(@I)|self.?n|self.?counts.a|self.?rows[?0].port|@N.first()|@O.or(@O)|@N[?@J]",
    "O2": "optional.of(@S)|self.?maybe|self.?s|optional.ofNonZeroValue(@S)",
    "J": "0|1|2|3|-1|@I",
    "TY": "int|string|bool|double|uint|list|map|null_type|type|bytes",
}  # fmt: skip

_HOLE: Final = re.compile(r"@(O2|TY|[A-Z])")
_PLAIN: Final = re.compile(r"[A-Za-z_][\w.]*|\d+u?|'[^']*'")
_MISFITS: Final = ("I", "S", "B", "L", "M", "D", "X", "T", "Q")


class ExpressionMaker:
    """Rules from a seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._templates = {kind: _alternatives(text) for kind, text in _TEMPLATES.items()}

    def rule(self) -> str:
        """A rule; about one in eight has a part of another type than fits."""
        return self._make("B", self._chance.choice([1, 2, 2, 3]), self._chance.random() < 0.12)

    def _make(self, kind: str, depth: int, is_odd: bool = False) -> str:
        if depth <= 0 and (leaf := self._leaf(kind)) is not None:
            return leaf
        template = self._chance.choice(self._templates[kind])
        odd = self._chance.randrange(8) if is_odd else -1
        made = ""
        for number, piece in enumerate(_HOLE.split(template)):
            if number % 2 == 0:
                made += piece
                continue
            wanted = self._chance.choice(_MISFITS) if number // 2 == odd else piece
            part = self._make(wanted, depth - 1, is_odd) if wanted in self._templates else self._leaf(wanted) or "0"
            is_plain = _PLAIN.fullmatch(part) is not None
            made += part if is_plain or wanted in ("P", "E", "Z", "TY") else f"({part})"
        return made

    def _leaf(self, kind: str) -> str | None:
        chance = self._chance
        if kind == "P":
            return f"'{chance.choice(_PATTERNS)}'"
        if kind == "Z":
            return f"'{chance.choice(_ZONES)}'"
        if kind == "E":
            return f"'{chance.choice(_FORMATS)}'"
        fields = _FIELDS.get(kind, "").split()
        if fields and chance.random() < 0.6:
            return chance.choice(fields)
        if kind == "I":
            return chance.choice(_NUMBERS)
        if kind == "D":
            return f"({chance.choice(_DOUBLES)})"
        if kind == "S":
            return f"'{chance.choice(_TEXTS)}'"
        if kind == "B":
            return chance.choice(["true", "false"])
        plain = [text for text in self._templates.get(kind, ()) if "@" not in text]
        if plain:
            return chance.choice(plain)
        return chance.choice(fields) if fields else None

    def spec(self) -> dict[str, Any]:
        """A value of the schema; every field is missing now and then."""
        chance = self._chance
        texts, numbers = _TEXTS, (0, 1, 2, -1, 3, 2**31 - 1, -(2**31))
        made: dict[str, Any] = {
            "n": chance.choice(numbers), "m": chance.choice((*numbers, 2**53, 2**63 - 1, -(2**63))),
            "small": chance.choice(numbers), "ratio": chance.choice((0, 1, 1.5, -2.5, 0.1, 3)), "flag": chance.random() < 0.5,
            "s": chance.choice(texts), "t": chance.choice(texts), "day": chance.choice(("2026-01-02", "2024-02-29")),
            "when": chance.choice(("2026-01-02T03:04:05Z", "2026-06-07T08:09:10.123+02:00")),
            "wait": chance.choice(("1h30m", "90s", "0s", "-5m", "1.5s")), "raw": chance.choice(("YQ==", "", "aGk=")),
            "size": chance.choice((1, "1", "50%", 0)), "maybe": chance.choice(("x", None, "")),
            "numbers": [chance.choice(numbers[:5]) for _ in range(chance.randrange(4))],
            "words": [chance.choice(texts) for _ in range(chance.randrange(4))],
            "names": sorted({chance.choice(texts) for _ in range(chance.randrange(4))}),
            "labels": {key: chance.choice(texts) for key in "abc" if chance.random() < 0.7},
            "counts": {key: chance.choice(numbers) for key in "ab" if chance.random() < 0.7},
            "rows": [
                {"name": name, "port": chance.choice(numbers), "at": "2026-01-02T03:04:05Z"}
                | ({} if chance.random() < 0.8 else {"port": 80})
                for name in "xyz"[: chance.randrange(4)]
            ],
            "namespace": chance.choice(texts), "a-b": chance.choice(texts), "a__b": chance.choice(numbers), "x.y": chance.choice(numbers),
            "deep": chance.choice(({"in": {"n": 1}}, {"in": {}}, {})), "free": chance.choice(({"n": 1}, {"other": [1]}, {})),
        }  # fmt: skip
        return {name: value for name, value in made.items() if chance.random() < 0.9}


def _alternatives(text: str) -> tuple[str, ...]:
    found = text.replace("\\|", "\0").split("|")
    return tuple(one.replace("\0", "|") for one in found)


def specs(seed: int, count: int) -> list[dict[str, Any]]:
    """Values for a batch of rules."""
    maker = ExpressionMaker(seed)
    return [maker.spec() for _ in range(count)]


def definition(name: str, rules: list[str]) -> dict[str, Any]:
    """A definition whose `spec` has these rules, each with its number as message."""
    rows = [{"rule": rule, "message": f"rule {i}"} for i, rule in enumerate(rules)]
    return define(name, SPEC | {"x-kubernetes-validations": rows})


def repeated(name: str, rules: list[tuple[str, int]], schema: dict[str, Any] = SPEC) -> dict[str, Any]:
    """A definition with a list for each rule, whose items it judges; there may be as many items as the number says."""
    lists = {
        f"list{i}": {
            "type": "array",
            "maxItems": count,
            "items": schema | {"x-kubernetes-validations": [{"rule": rule}]},
        }
        for i, (rule, count) in enumerate(rules)
    }
    return define(name, {"type": "object", "properties": lists})


def define(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    """A definition with this schema of `spec`."""
    kind = name.capitalize()
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}s.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": f"{name}s", "singular": name, "kind": kind, "listKind": f"{kind}List"},
            "versions": [version],
        },
    }
