"""Resolve every name and give every node a type; what does not fit becomes a problem with its place."""

from __future__ import annotations

from typing import Final, NamedTuple
from typing import Literal as OneOf

from stowplan.cel.calls import LITERALS_SINCE, CallResolver
from stowplan.cel.declarations import Declarations
from stowplan.cel.inference import BINARY, CONDITIONAL, INDEX, UNARY, Inference
from stowplan.cel.literal_checks import LiteralChecks
from stowplan.cel.macro_types import MacroTypes
from stowplan.cel.operator_types import binary_type, index_type
from stowplan.cel.problem import Problem, closest
from stowplan.cel.signatures import POLICY_ONLY, Function
from stowplan.cel.text import ExpressionText
from stowplan.cel.tree import (
    Binary,
    Bind,
    Call,
    Comprehension,
    Conditional,
    Identifier,
    ListLiteral,
    Literal,
    Logic,
    MapLiteral,
    Node,
    Presence,
    Select,
    Subscript,
    Unary,
    dotted_name,
)  # fmt: skip
from stowplan.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Free,
    ListType,
    MapType,
    ObjectType,
    OptionalType,
    Type,
    TypeOf,
    assignable,
    join,
)  # fmt: skip
from stowplan.cel.values import TypeValue, UInt

__all__ = ["Checked", "Checker", "Profile"]

Profile = OneOf["kubernetes", "policy"]
Scope = dict[str, Type]

_TYPE_NAMES: Final[dict[str, Type]] = {
    "bool": BOOL, "int": INT, "uint": UINT, "double": DOUBLE, "string": STRING, "bytes": BYTES, "null_type": NULL,
    "list": ListType(DYN), "map": MapType(DYN, DYN), "type": TYPE, "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.Duration": DURATION, "optional_type": OptionalType(DYN), "net.IP": Type("net.IP"),
    "net.CIDR": Type("net.CIDR"), "kubernetes.Quantity": Type("kubernetes.Quantity"),
    "kubernetes.URL": Type("kubernetes.URL"), "kubernetes.Semver": Type("kubernetes.Semver"),
    "kubernetes.NamedFormat": Type("kubernetes.NamedFormat"),
}  # fmt: skip
_TYPES_SINCE: Final = {
    "optional_type": 29, "kubernetes.Quantity": 29, "net.IP": 31, "net.CIDR": 31, "kubernetes.NamedFormat": 32,
    "kubernetes.Semver": 34,
}  # fmt: skip
_LITERALS: Final[dict[type, Type]] = {
    bool: BOOL, int: INT, UInt: UINT, float: DOUBLE, str: STRING, bytes: BYTES, type(None): NULL,
}  # fmt: skip
_OPTIONALS_SINCE: Final = 29
_MIXED_SINCE: Final = 29


class Checked(NamedTuple):
    """What the check found out, by node key.

    `variables` has the nodes that stand for a declared variable, `constants` those that name a type, `functions` the
    calls with their possible overloads, `properties` the fields whose property has another name in the data, `nullable`
    the selections of fields that may hold null.
    """

    types: dict[int, Type]
    variables: dict[int, str]
    constants: dict[int, TypeValue]
    functions: dict[int, Function]
    properties: dict[int, str]
    nullable: set[int]
    uses: dict[str, int]
    problems: list[Problem]


class Checker:
    """One check of one tree."""

    def __init__(self, source: ExpressionText, declarations: Declarations, minor: int, profile: Profile) -> None:
        self.source = source
        self.declarations = declarations
        self.minor = minor
        self.profile = profile
        self.result = Checked({}, {}, {}, {}, {}, set(), {}, [])
        self._mixed = profile == "policy" or minor >= _MIXED_SINCE
        self.inference = Inference()
        self._calls = CallResolver(self)
        self._macros = MacroTypes(self)
        # Inside the arguments of `format`, literals may mix types.
        self.mixing = 0
        self.literals = LiteralChecks()

    def check(self, root: Node, expect: Type | None) -> Checked:
        """Check the whole tree; with `expect`, also the type of the result."""
        kind = self.visit(root, {})
        if expect is not None and not self.fits(kind, expect):
            self.complain(root.start, root.end, f"the expression must give {expect}, not {kind}", "type")
        if self.inference.is_used:
            types = self.result.types
            types.update({key: self.inference.closed(kind) for key, kind in types.items()})
        is_sound = not self.result.problems  # else they would be echoes
        if is_sound and self.profile == "kubernetes" and self.minor >= LITERALS_SINCE:
            for node, message, sort, helps in self.literals.complaints(self.result.types):
                self.complain(node.start, node.end, message, sort, *helps)
        return self.result

    def complain(self, start: int, end: int, message: str, kind: str, *helps: str) -> Type:
        """Record a problem (unless the expression is unchecked) and go on with `dyn`."""
        if self.declarations.checked:
            self.result.problems.append(self.source.problem(start, end, message, kind, helps))
        return DYN

    def need(self, name: str, since: int, start: int, end: int) -> None:
        """Record the use of a name that is not in every version and complain when this one lacks it."""
        self.result.uses[name] = max(since, self.result.uses.get(name, 0))
        if self.profile == "policy":
            return
        if since >= POLICY_ONLY:
            self.complain(start, end, f"{name} is not part of the Kubernetes dialect", "profile",
                          "it is available in policies, which cannot be exported to a server with it")  # fmt: skip
        elif since > self.minor:
            self.complain(start, end, f"{name} needs Kubernetes 1.{since}, and this is for 1.{self.minor}", "version")

    def visit(self, node: Node, scope: Scope) -> Type:
        """The node's type, recorded."""
        kind = self.inference.resolve(self._visit(node, scope))
        self.result.types[node.key] = kind
        return kind

    def _visit(self, node: Node, scope: Scope) -> Type:
        if isinstance(node, Literal):
            return _LITERALS[type(node.value)]
        if isinstance(node, Identifier):
            return self._identifier(node, scope)
        if isinstance(node, Select):
            return self._select(node, scope)
        if isinstance(node, Presence):
            return self._presence(node, scope)
        if isinstance(node, Call):
            return self._calls.resolve(node, scope)
        if isinstance(node, Binary):
            return self._binary(node, scope)
        if isinstance(node, Logic):
            for operand in node.operands:
                self.boolean(operand, scope, f"`{node.operator}`")
            return BOOL
        if isinstance(node, Subscript):
            return self._subscript(node, scope)
        return self._visit_rest(node, scope)

    def _visit_rest(self, node: Node, scope: Scope) -> Type:
        if isinstance(node, Unary):
            return self._unary(node, scope)
        if isinstance(node, Conditional):
            return self._conditional(node, scope)
        if isinstance(node, ListLiteral):
            return self._list(node, scope)
        if isinstance(node, MapLiteral):
            return self._map(node, scope)
        if isinstance(node, Comprehension):
            return self._macros.comprehension(node, scope)
        if isinstance(node, Bind):
            self.need("`cel.bind`", POLICY_ONLY, node.at, node.at + 4)
            return self.visit(node.body, {**scope, node.name: self.visit(node.value, scope)})
        raise AssertionError(node)

    def boolean(self, node: Node, scope: Scope, owner: str) -> None:
        """Type a node that must be a bool; `owner` is what needs it."""
        kind = self.visit(node, scope)
        if not self.fits(kind, BOOL):
            self.complain(node.start, node.end, f"{owner} needs a bool here, found {kind}", "no-overload")

    def fits(self, kind: Type, wanted: Type) -> bool:
        """Whether a value of a type may stand where another is wanted; that decides what is open in them."""
        if self.inference.is_open(kind) or self.inference.is_open(wanted):
            return self.inference.fits(kind, wanted)
        return assignable(wanted, kind)

    # Names

    def _identifier(self, node: Identifier, scope: Scope) -> Type:
        if node.name in scope and not node.absolute:
            return scope[node.name]
        found = self._declared(node, node.name)
        if found is not None:
            return found
        helps = self._suggest_variable(node.name, scope)
        return self.complain(node.start, node.end, f"unknown variable `{node.name}`", "undeclared-variable", *helps)

    def _declared(self, node: Node, name: str) -> Type | None:
        declared = self.declarations.variables.get(name)
        if declared is not None:
            self.result.variables[node.key] = name
            return declared
        named = _TYPE_NAMES.get(name)
        if named is None:
            return None
        self.result.constants[node.key] = TypeValue(name)
        if name in _TYPES_SINCE:
            self.need(f"`{name}`", _TYPES_SINCE[name], node.start, node.end)
        return TypeOf(named)

    def _suggest_variable(self, name: str, scope: Scope) -> tuple[str, ...]:
        known = [*scope, *self.declarations.variables]
        found = closest(name, known)
        if found:
            return (f"did you mean `{found[0]}`?",)
        fields = [
            variable
            for variable, kind in sorted(self.declarations.variables.items())
            if isinstance(kind, ObjectType) and kind.source.field(name) is not None
        ]
        if fields:
            return (f"did you mean `{fields[0]}.{name}`?",)
        return (f"known here: {', '.join(f'`{k}`' for k in sorted(known)[:10])}",) if known else ()

    def _select(self, node: Select, scope: Scope) -> Type:
        name = dotted_name(node)
        if name is not None and name.split(".", 1)[0] not in scope:
            found = self._declared(node, name) if self.declarations.dotted or name in _TYPE_NAMES else None
            if found is not None:
                return found
        if node.optional:
            self.need("`.?`", _OPTIONALS_SINCE, node.at, node.end)
        if node.quoted:
            self.need("a field in backticks", POLICY_ONLY, node.at, node.end)
        operand = self.visit(node.operand, scope)
        kind = self._field(node, operand)
        return OptionalType(kind) if node.optional and not isinstance(operand, OptionalType) else kind

    def _presence(self, node: Presence, scope: Scope) -> Type:
        if node.optional:
            self.need("`.?`", _OPTIONALS_SINCE, node.at, node.end)
        if node.quoted:
            self.need("a field in backticks", POLICY_ONLY, node.at, node.end)
        self._field(node, self.visit(node.operand, scope))
        return BOOL

    def _field(self, node: Select | Presence, operand: Type) -> Type:
        end = node.at + len(node.field)
        if operand == DYN or (isinstance(operand, Free) and self.inference.fits(DYN, operand)):
            return DYN
        if isinstance(operand, OptionalType):
            return OptionalType(self._field(node, operand.item))
        if isinstance(operand, MapType) and self.fits(STRING, operand.key):
            return operand.value
        if not isinstance(operand, ObjectType):
            return self.complain(node.at, end, f"a value of type {operand} has no fields", "unknown-field")
        field = operand.source.field(node.field)
        if field is not None:
            if field.property != node.field:
                self.result.properties[node.key] = field.property
            if field.nullable:
                self.result.nullable.add(node.key)
            return field.type
        return self._unknown_field(node, operand, end)

    def _unknown_field(self, node: Select | Presence, operand: ObjectType, end: int) -> Type:
        names = tuple(operand.source.names())
        found = closest(node.field, names)
        helps = [f"did you mean `{found[0]}`?"] if found else []
        if not found and names:
            more = ", ..." if len(names) > 10 else ""
            helps.append(f"it has {', '.join(f'`{n}`' for n in sorted(names)[:10])}{more}")
        return self.complain(node.at, end, f"{operand.name} has no field `{node.field}`", "unknown-field", *helps)

    def _subscript(self, node: Subscript, scope: Scope) -> Type:
        if node.optional:
            self.need("`[?]`", _OPTIONALS_SINCE, node.at, node.end)
        operand, key = self._both(node.operand, node.subscript, scope)
        if self.inference.is_open(operand) or self.inference.is_open(key):
            kind = self.inference.choose(INDEX, (operand, key))
        else:
            kind = index_type(operand, key, self._mixed)
        if kind is None:
            helps = ("write a field as .name",) if isinstance(operand, ObjectType) else ()
            return self.complain(node.at, node.end, f"a value of type {operand} cannot be indexed by {key}", "no-overload",
                                 *helps)  # fmt: skip
        return OptionalType(kind) if node.optional and not isinstance(operand, OptionalType) else kind

    # Operators

    def _both(self, left: Node, right: Node, scope: Scope) -> tuple[Type, Type]:
        """The types of two operands; the second may decide what was open in the first."""
        one, other = self.visit(left, scope), self.visit(right, scope)
        return self.inference.resolve(one), other

    def _binary(self, node: Binary, scope: Scope) -> Type:
        left, right = self._both(node.left, node.right, scope)
        if self.inference.is_open(left) or self.inference.is_open(right):
            kind = self.inference.choose(BINARY[node.operator], (left, right))
        else:
            kind = binary_type(node.operator, left, right, self._mixed)
        if kind is not None:
            return left if isinstance(left, ListType) and kind == left else kind  # sets and maps stay what they are
        end = node.at + len(node.operator)
        helps: tuple[str, ...] = ()
        if isinstance(left, OptionalType) or isinstance(right, OptionalType):
            helps = ("take the value out of an optional with .orValue(...) or .value()",)
        elif node.operator == "in" and isinstance(right, ObjectType):
            helps = ("ask for a field with has(...)",)
        elif {left, right} <= {INT, UINT, DOUBLE}:
            helps = ("convert one side with int(...), uint(...) or double(...)",)
        elif NULL in (left, right):
            helps = ("ask for absence with has(...)",)
        message = f"`{node.operator}` cannot be applied to {left} and {right}"
        result = self.complain(node.at, end, message, "no-overload", *helps)
        return BOOL if node.operator in ("==", "!=", "<", "<=", ">", ">=", "in") else result

    def _unary(self, node: Unary, scope: Scope) -> Type:
        kind = self.visit(node.operand, scope)
        allowed = (BOOL,) if node.operator == "!" else (INT, DOUBLE)
        if self.inference.is_open(kind):
            kind = self.inference.choose(UNARY[node.operator], (kind,)) or kind
        if kind != DYN and kind not in allowed:
            self.complain(node.start, node.start + 1, f"`{node.operator}` cannot be applied to {kind}", "no-overload")
        return BOOL if node.operator == "!" else kind if kind in allowed else DYN

    def _conditional(self, node: Conditional, scope: Scope) -> Type:
        self.boolean(node.condition, scope, "the condition of `?`")
        positive, negative = self._both(node.positive, node.negative, scope)
        if self.inference.is_open(positive) or self.inference.is_open(negative):
            kind = self.inference.choose(CONDITIONAL, (BOOL, positive, negative))
        else:
            kind = join(positive, negative)
        if kind is None:
            if self.profile == "policy":
                return DYN
            return self.complain(
                node.at, node.at + 1, f"the branches of `?` differ in type: {positive} and {negative}", "no-overload"
            )
        return kind

    def _list(self, node: ListLiteral, scope: Scope) -> Type:
        kind: Type | None = None
        for element in node.elements:
            found = self._element(element.value, element.optional, scope)
            kind = found if kind is None else self._joined(kind, found, element.value, "list")
        if not self.mixing:
            self.literals.note_alike((element.value, element.optional) for element in node.elements)
        return ListType(self.inference.fresh() if kind is None else kind)

    def _map(self, node: MapLiteral, scope: Scope) -> Type:
        key: Type | None = None
        value: Type | None = None
        for entry in node.entries:
            found = self.visit(entry.name, scope)
            if found not in (DYN, BOOL, INT, UINT, STRING) and not isinstance(found, Free):
                self.complain(entry.name.start, entry.name.end, f"{found} cannot be the key of a map", "type")
            key = found if key is None else self._joined(key, found, entry.name, "map")
            kind = self._element(entry.value, entry.optional, scope)
            value = kind if value is None else self._joined(value, kind, entry.value, "map")
        if not self.mixing:
            self.literals.note_alike((entry.name, False) for entry in node.entries)
            self.literals.note_alike((entry.value, entry.optional) for entry in node.entries)
        return MapType(key or self.inference.fresh(), value or self.inference.fresh())

    def _element(self, node: Node, optional: bool, scope: Scope) -> Type:
        kind = self.visit(node, scope)
        if not optional:
            return kind
        self.need("`?` before an element", _OPTIONALS_SINCE, node.start, node.end)
        if isinstance(kind, OptionalType):
            return kind.item
        if kind != DYN:
            self.complain(node.start, node.end, f"`?` needs an optional value, found {kind}", "type")
        return DYN

    def _joined(self, left: Type, right: Type, node: Node, what: str) -> Type:
        if self.inference.is_open(left) or self.inference.is_open(right):
            kind = self.inference.joined(left, right)
        else:
            kind = join(left, right)
        if kind is None and self.profile == "kubernetes" and not self.mixing:
            return self.complain(
                node.start, node.end, f"a {what} holds values of one type: {left} before, {right} here", "type",
                "wrap a value in dyn(...)",
            )  # fmt: skip
        return DYN if kind is None else kind
