"""Names of the elements for which a mask holds, as ``part = x[x > 0]``: they are reduced where they are selected.

How many there are depends on data, so that no array of them is made; ``part.mean()`` becomes ``x[x > 0].mean()``.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from typing import TYPE_CHECKING

from tensorlift.frontends.python.masked import REDUCED
from tensorlift.frontends.python.syntax import arguments_of, may_be_mask, names_in, stored_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def with_selections(function: ast.FunctionDef) -> ast.FunctionDef:
    """Give a function without names of selections that are only reduced, before anything may change the array."""
    found = _selections(function)
    if not found:
        return function
    made = copy.deepcopy(function)
    _Selected(found).visit(made)
    return ast.fix_missing_locations(made)


def _selections(function: ast.FunctionDef) -> dict[str, ast.Subscript]:
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign) and len(node.targets) == 1]
    pairs = [(node.targets[0], node.value) for node in assigned]
    names = [(target, value) for target, value in pairs if isinstance(target, ast.Name)]
    masks = {own.id for own, value in names if not isinstance(value, ast.Name) and may_be_mask(value)}
    masks |= {argument.arg for argument in arguments_of(function)}
    bound = Counter([*stored_in(function.body), *(argument.arg for argument in arguments_of(function))])
    found: dict[str, ast.Subscript] = {}
    for own, value in names:
        match value:
            case ast.Subscript(slice=index) if may_be_mask(index):
                is_mask = not isinstance(index, ast.Name) or index.id in masks
                if is_mask and bound[own.id] == 1 and all(bound[name] <= 1 for name in names_in(value)):
                    found |= {own.id: value} if _is_only_reduced(function, own, value) else {}
    return found


def _is_only_reduced(function: ast.FunctionDef, own: ast.Name, value: ast.expr) -> bool:
    """Whether nothing else is done with a selection, and nothing is stored before the last time."""
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.expr)]
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == own.id and node is not own]
    if not uses or len(uses) != sum(_reduced(node) == own.id for node in nodes):
        return False
    loops = [
        node for node in ast.walk(function) if isinstance(node, ast.For | ast.While) and _place(node) > _place(own)
    ]
    again = [loop for loop in loops if any(node.id == own.id for node in ast.walk(loop) if isinstance(node, ast.Name))]
    last = max(map(_place, uses))
    final = max((s for s in ast.walk(function) if isinstance(s, ast.stmt) and _place(s) <= last), key=_place)
    numbers = _numbers(function)
    changes = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.expr | ast.stmt) and _may_change(node, numbers) and _place(own) < _place(node)
    ]
    if any(_place(node) < _place(final) or any(node in ast.walk(loop) for loop in again) for node in changes):
        return False
    bound = [node for node in nodes if isinstance(node, ast.Name) and node.id in names_in(value) and not _is_read(node)]
    return all(_place(node) < _place(own) for node in bound) and _place(own) < min(map(_place, uses))


def _numbers(function: ast.FunctionDef) -> set[str]:
    """Collect the variables that begin as numbers that are written."""
    given = {argument.arg for argument in arguments_of(function)}
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    others = {n for node in assigned if not isinstance(node.value, ast.Constant) for n in stored_in(node.targets)}
    return {*stored_in(assigned)} - others - given


def _place(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _may_change(node: ast.expr | ast.stmt, numbers: Collection[str]) -> bool:
    """Whether this may change an array: what is stored into, or a call that does."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name)):
            return name not in numbers
        case ast.Subscript() | ast.Attribute():
            return not _is_read(node)
        case ast.Call(func=ast.Name(id=name)):
            return name not in _HARMLESS
        case ast.Call(func=ast.Attribute(attr=name), keywords=keywords):
            return name not in REDUCED and (name in _CHANGING or any(k.arg == "out" for k in keywords))
    return False


_HARMLESS = {"len", "range", "enumerate", "zip", "min", "max", "sum", "abs", "float", "int", "bool", "round"}
_CHANGING = {"at", "fill", "sort", "put", "place", "copyto", "putmask", "partition", "resize"}


def _reduced(node: ast.expr) -> str:
    """Give the name that a call reduces alone; empty for anything else."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(own), name), []) if name in REDUCED:
            return own
        case ast.Call(ast.Attribute(attr=name) | ast.Name(id=name), [ast.Name(own)]) if name in REDUCED:
            return own
    return ""


class _Selected(ast.NodeTransformer):
    def __init__(self, found: Mapping[str, ast.Subscript]) -> None:
        self._found = found

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        match node.targets:
            case [ast.Name(id=name)] if name in self._found:
                return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        selected = self._found.get(node.id)
        if selected is None:
            return node
        made = copy.deepcopy(selected)
        for part in ast.walk(made):
            ast.copy_location(part, node)
        return made
