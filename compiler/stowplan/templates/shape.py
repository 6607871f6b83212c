"""A shape: a tree with holes, compiled once to values -> object and values -> canonical text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from stowplan.templates.fill import part_text
from stowplan.templates.generate import compile_build, compile_text
from stowplan.templates.skeleton import Hole, Joined, Key, Node

__all__ = ["Hole", "Joined", "Key", "Node", "Shape", "ShapePointer", "filled_key"]

ShapePointer: TypeAlias = "tuple[Key | int, ...]"
"""A path into a shape; a step that is a `Hole` or `Joined` is a key that is known when filled."""


class Shape:
    """What all objects with one path through a template have in common.

    `tree` is read-only plain data with `Hole` and `Joined` in it; fixed keys are sorted, keys with holes come
    after them. `n_holes` is how many values a filling has, used or not. Shapes are compared by identity.
    """

    __slots__ = ("build", "n_holes", "text", "tree")

    def __init__(self, tree: Node, n_holes: int) -> None:
        self.tree = tree
        self.n_holes = n_holes
        self.build = compile_build(tree, n_holes)
        """Values -> a fresh object: dicts with sorted keys, lists, scalars. Raises `FillError`, `WriteError`."""
        self.text = compile_text(tree, n_holes)
        """Values -> the text that `yaml_writer.dumps` gives for the object. Raises `FillError`, `WriteError`."""

    def leaves(self) -> Iterator[tuple[ShapePointer, Node]]:
        """Every scalar, hole and empty collection with its path, in the order of the text (keys with holes last)."""
        return _leaves(self.tree, ())


def _leaves(node: Node, path: ShapePointer) -> Iterator[tuple[ShapePointer, Node]]:
    if isinstance(node, dict) and node:
        for key, value in node.items():
            yield from _leaves(value, (*path, key))
    elif isinstance(node, list) and node:
        for index, value in enumerate(node):
            yield from _leaves(value, (*path, index))
    else:
        yield path, node


def filled_key(step: Key | int, values: Sequence[object]) -> str | int:
    """A step of a `ShapePointer` as it reads once filled."""
    if isinstance(step, Hole):
        return part_text(values[step.index])
    if isinstance(step, Joined):
        return "".join(part_text(values[part.index]) if isinstance(part, Hole) else part for part in step.parts)
    return step
