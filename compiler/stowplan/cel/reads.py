"""Which paths of the variables an expression can read."""

from __future__ import annotations

from stowplan.cel.checker import Checked
from stowplan.cel.tree import Identifier, Literal, Node, Presence, Select, Subscript, children

__all__ = ["Path", "static_reads"]

Path = tuple[str, ...]


def static_reads(root: Node, checked: Checked) -> frozenset[Path]:
    """Paths such as `("self", "spec", "replicas")`, by the properties' names in the data.

    A path ends at the first step that is not a plain field or a literal string key; everything below its end may be
    read. A path that extends another one is kept.
    """
    found: set[Path] = set()
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        path = _path(node, checked)
        if path is not None:
            found.add(path)
            pending.extend(_dynamic_parts(node, checked))
        else:
            pending.extend(children(node))
    return frozenset(found)


def _path(node: Node, checked: Checked) -> Path | None:
    """The path of a chain of selections that starts at a declared variable."""
    steps: list[str] = []
    while True:
        declared = checked.variables.get(node.key)
        if declared is not None and isinstance(node, Identifier | Select):
            return (declared, *reversed(steps))
        if isinstance(node, Select | Presence):
            steps.append(checked.properties.get(node.key, node.field))
            node = node.operand
        elif isinstance(node, Subscript):
            key = node.subscript
            if isinstance(key, Literal) and isinstance(key.value, str):
                steps.append(key.value)
            else:
                steps.clear()
            node = node.operand
        else:
            return None


def _dynamic_parts(node: Node, checked: Checked) -> list[Node]:
    """The subscripts within a chain, which may read other paths."""
    parts: list[Node] = []
    while node.key not in checked.variables:
        if isinstance(node, Subscript):
            parts.append(node.subscript)
            node = node.operand
        elif isinstance(node, Select | Presence):
            node = node.operand
        else:
            break
    return parts
