"""The parameters of a Python function: which are arrays, sizes or scalars, of which rank and type.

An annotation decides where there is one; for a live function that is called, what it is called with decides the rest.
Otherwise use decides: what is indexed is an array of ``float64`` with as many dimensions as indices, what stands in
``range``, an index or a shape is an integer, or an array of such, all else a ``float``.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.python.annotations import ParameterKind, annotated, is_new_or_rest, quoted
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.syntax import arguments_of, indices_of
from tensorlift.ops.c_types import DOUBLE, LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.diagnostics import Location

_TAKING_ITEMS = {"len", "enumerate", "zip", "reversed", "outer"}
_TAKING_ARRAYS = {*_TAKING_ITEMS, "zeros_like", "empty_like", "ones_like", "dot", "sum", "mean", "prod"}
_FOLDING = {"sum", "min", "max", "any", "all"}  # Python's own, which take items one after the other


def kinds_of(
    function: ast.FunctionDef, locate: Callable[[ast.AST], Location], told: Mapping[str, str] | None = None
) -> dict[str, ParameterKind]:
    """Classify the parameters; ``told`` are annotations for those that have none that tells their type and rank.

    Raises ``LiftError`` for what is outside the subset.
    """
    arguments = function.args
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            raise refusal("parameters", locate(extra), f"`{extra.arg}` takes any number of arguments")
    use = _Use(function)
    kinds = {argument.arg: _kind(argument, use, locate) for argument in arguments_of(function)}
    for name, annotation in (told or {}).items():
        kind = quoted(annotation)
        assert kind is not None, annotation
        kinds[name] = kind
    return kinds


def told_kind(argument: ast.arg) -> ParameterKind | None:
    """Give what the annotation of a parameter tells of its type and rank together; None where it does not tell both."""
    kind = None if argument.annotation is None else annotated(argument.annotation)
    return kind if kind is not None and kind.rank is not None and kind.is_told else None


def told_dtype(argument: ast.arg) -> str:
    """Give the element type that an annotation tells without a rank, as in ``NDArray[np.float32]``; empty otherwise."""
    kind = None if argument.annotation is None else annotated(argument.annotation)
    return kind.element() if kind is not None and kind.rank is None and kind.is_told else ""


def array_rank_in_use(function: ast.FunctionDef, name: str) -> int:
    """Give how many dimensions an array has by its use; 0 where that does not tell."""
    return _Use(function).ranks.get(name, 0)


def told_rank(function: ast.FunctionDef, argument: ast.arg) -> int | None:
    """Give how many dimensions a parameter has, by its annotation or its use; None where nothing tells."""
    kind = None if argument.annotation is None else annotated(argument.annotation)
    if kind is not None and kind.rank is not None:
        return kind.rank
    return _Use(function).ranks.get(argument.arg, 0 if argument.annotation is None else None) or None


def is_number(function: ast.FunctionDef, argument: ast.arg) -> bool:
    """Whether a parameter is a number."""
    kind = None if argument.annotation is None else annotated(argument.annotation)
    return (
        argument.arg not in _Use(function).ranks if argument.annotation is None else kind is not None and kind.rank == 0
    )


def is_untold_array(argument: ast.arg) -> bool:
    """Whether nothing tells the element type of a parameter that may be an array."""
    kind = None if argument.annotation is None else annotated(argument.annotation)
    return argument.annotation is None or (kind is not None and not kind.is_told)


def _kind(argument: ast.arg, use: _Use, locate: Callable[[ast.AST], Location]) -> ParameterKind:
    name = argument.arg
    if argument.annotation is None:
        if name in use.ranks:
            return ParameterKind(LONG if name in use.places else DOUBLE, use.ranks[name] or None, is_told=False)
        return ParameterKind(LONG if name in use.sizes else DOUBLE, is_weak=True, is_told=False)
    kind = annotated(argument.annotation)
    if kind is None:
        text = ast.unparse(argument.annotation)
        if "complex" in text:
            raise refusal("complex", locate(argument.annotation), f"the annotation `{text}`")
        raise refusal("annotation", locate(argument.annotation), text)
    if kind.rank is None:
        return replace(kind, rank=use.ranks.get(name) or None)
    return kind


class _Use(ast.NodeVisitor):
    """How names are used: ranks of what is indexed (0 where an array of unknown rank), names that count."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.ranks: dict[str, int] = {}
        self.sizes: set[str] = set()
        self.places: set[str] = set()  # arrays whose elements stand in indices
        self._whole: set[str] = set()  # what stands in indices by itself
        self._values: list[tuple[str, ast.expr]] = []  # names with what they are assigned
        self._parts: list[tuple[str, str, int]] = []  # names of parts of arrays, and how many dimensions less they have
        for statement in function.body:
            self.visit(statement)
        for name, value in reversed(self._values):
            if name in self._whole:
                self._count(value, are_places=True)
        for part, array, taken in reversed(self._parts):
            if part in self.ranks:
                self._rank(array, taken + max(self.ranks[part], 1))
            if part in self._whole | self.places:
                self.places.add(array)
        self.places |= self._whole & self.ranks.keys()

    def _rank(self, name: str, rank: int) -> None:
        self.ranks[name] = max(rank, self.ranks.get(name, 0))

    def visit_Subscript(self, node: ast.Subscript) -> None:
        base: ast.expr = node
        rank = 0
        while isinstance(base, ast.Subscript):
            self._count(base.slice, are_places=True)
            rank += sum(not is_new_or_rest(part) for part in indices_of(base))
            base = base.value
        if isinstance(base, ast.Name):
            self._rank(base.id, rank)
        elif isinstance(base, ast.Attribute) and base.attr == "shape" and isinstance(base.value, ast.Name):
            index = node.slice
            known = index.value + 1 if isinstance(index, ast.Constant) and isinstance(index.value, int) else 1
            self._rank(base.value.id, known)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        value, target = node.value, node.targets[0]
        if isinstance(target, ast.Name):
            self._values.append((target.id, value))
        if isinstance(value, ast.Attribute) and value.attr == "shape" and isinstance(value.value, ast.Name):
            self._rank(value.value.id, len(target.elts) if isinstance(target, ast.Tuple) else 0)
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
            taken = sum(not isinstance(part, ast.Slice) and not is_new_or_rest(part) for part in indices_of(value))
            if isinstance(target, ast.Name):
                self._parts.append((target.id, value.value.id, taken))
            elif isinstance(target, ast.Tuple):
                self._rank(value.value.id, taken + 1)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name):
            self._rank(node.value.id, 2 if node.attr == "T" else 0)
        elif node.attr == "T":
            self._part(node.value, 2)
        self.generic_visit(node)

    def _part(self, node: ast.expr, rank: int) -> None:
        """Note that a part of an array has at least a number of dimensions."""
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            taken = sum(not isinstance(part, ast.Slice) and not is_new_or_rest(part) for part in indices_of(node))
            self._rank(node.value.id, taken + rank)

    def visit_For(self, node: ast.For) -> None:
        self._items(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._items(node.target, node.iter)
        self.generic_visit(node)

    def _items(self, target: ast.expr, source: ast.expr) -> None:
        """Note that the items of an array are bound one after the other, alone, with their place or in pairs."""
        if isinstance(source, ast.Name):
            self._rank(source.id, 1)
            if isinstance(target, ast.Name):
                self._parts.append((target.id, source.id, 1))
        if not isinstance(source, ast.Call) or not isinstance(source.func, ast.Name) or not source.args:
            return
        if source.func.id == "reversed":
            self._items(target, source.args[0])
        elif isinstance(target, ast.Tuple) and source.func.id == "enumerate":
            self._items(target.elts[-1], source.args[0])
        elif isinstance(target, ast.Tuple) and source.func.id == "zip":
            for item, array in zip(target.elts, source.args, strict=False):
                self._items(item, array)

    def visit_While(self, node: ast.While) -> None:
        for test in ast.walk(node.test):
            if isinstance(test, ast.Compare):
                for side in (test.left, *test.comparators):
                    self._count(side)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func).rsplit(".", 1)[-1]
        if name in {"range", "prange", "zeros", "empty", "ones", "full"}:
            for argument in node.args:
                self._count(argument, are_places=True)
        is_folded = name in _FOLDING and isinstance(node.func, ast.Name) and len(node.args) == 1
        if is_folded or name in _TAKING_ARRAYS:
            rank = 1 if is_folded or name in _TAKING_ITEMS else 0
            for argument in node.args:
                if isinstance(argument, ast.Name):
                    self._rank(argument.id, rank)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            for side in (node.left, node.right):
                if isinstance(side, ast.Name):
                    self._rank(side.id, 0)
                self._part(side, 1)
        self.generic_visit(node)

    def _count(self, node: ast.expr, *, are_places: bool = False) -> None:
        """Note the names of which a bound or an index is made, but not those inside of a subscript or a call.

        With ``are_places`` elements of arrays are noted as integers, too.
        """
        match node:
            case ast.Name(id=name):
                self.sizes.add(name)
                self._whole |= {name} if are_places else set()
            case ast.Subscript(value=inner):
                while isinstance(inner, ast.Subscript):
                    inner = inner.value
                if are_places and isinstance(inner, ast.Name):
                    self.places.add(inner.id)
            case ast.Attribute():
                pass
            case _:
                are_places = are_places and not isinstance(node, ast.Call)
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._count(child, are_places=are_places)
