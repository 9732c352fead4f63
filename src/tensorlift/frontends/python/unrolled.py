"""Loops and comprehensions over tuples that are written out, as ``for w, b in ((w1, b1), (w2, b2))``, item by item.

Loops over numbers stay loops.
"""

from __future__ import annotations

import ast
import copy
from functools import reduce
from typing import TYPE_CHECKING

from tensorlift.frontends.python.syntax import names_in, stored_in

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_MOST = 16  # items of a loop
_BUILTINS = {"reversed", "enumerate", "zip", "sum", "map"}


def unrolled(function: ast.FunctionDef, others: Collection[str]) -> ast.FunctionDef:
    """Give a function without loops over tuples of arrays or of tuples; names of ``others`` are no builtins."""
    own = {*others, *stored_in(function.body), *(node.arg for node in ast.walk(function) if isinstance(node, ast.arg))}
    change = _Unrolled(_BUILTINS - own)
    over = [node.iter for node in ast.walk(function) if isinstance(node, ast.For | ast.comprehension)]
    if not any(change.worth(one) is not None for one in over) and "map" not in names_in(function):
        return function
    made: ast.FunctionDef = change.visit(copy.deepcopy(function))
    return ast.fix_missing_locations(made)


def _tuple(items: Sequence[ast.expr]) -> ast.expr:
    return ast.copy_location(ast.Tuple([*items], ast.Load()), items[-1])


class _Unrolled(ast.NodeTransformer):
    def __init__(self, builtins: Collection[str]) -> None:
        self._builtins = builtins

    def worth(self, node: ast.expr) -> list[ast.expr] | None:
        """Give the items of a tuple that holds more than constants, or of what is made of one."""
        items = self._items(node)
        inner = [one for item in items or () for one in ast.walk(item)]
        holds = [any(isinstance(one, kind) for one in inner) for kind in (ast.Name, ast.Starred)]
        return items if holds == [True, False] and len(items or ()) <= _MOST else None

    def _items(self, node: ast.expr) -> list[ast.expr] | None:
        match node:  # what is empty is not worth it
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return items
            case ast.Call(ast.Name(id="reversed" as name), [ast.Tuple() | ast.List() as inner], []):
                return inner.elts[::-1] if name in self._builtins else None
            case ast.Call(ast.Name(id="enumerate" as name), [inner], []) if name in self._builtins:
                numbered = enumerate(self._items(inner) or [])
                return [_tuple([ast.Constant(place), item]) for place, item in numbered]
            case ast.Call(ast.Name(id="zip" as name), [*several], []) if name in self._builtins:
                found = [self._items(one) for one in several]
                return [_tuple(row) for row in zip(*(items or [] for items in found), strict=False)]
        return None

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        items = self.worth(node.iter)
        self.generic_visit(node)
        leaves = any(isinstance(one, ast.Break | ast.Continue) for part in node.body for one in ast.walk(part))
        bound = {*stored_in([node.target, *node.body])}
        if items is None or leaves or node.orelse or bound & {name for item in items for name in names_in(item)}:
            return node
        found: list[ast.stmt] = []
        for item in items:
            target = copy.deepcopy(node.target)
            found += [ast.copy_location(ast.Assign([target], item), node), *copy.deepcopy(node.body)]
        return found

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        items = self._each(node)
        self.generic_visit(node)
        return node if items is None else ast.copy_location(ast.List(items, ast.Load()), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name(id="sum" as name), [ast.GeneratorExp() as inner], []) if name in self._builtins:
                items = self._each(inner)
                if items is not None:
                    first: ast.expr = ast.Constant(0)
                    total = reduce(lambda one, other: ast.BinOp(one, ast.Add(), other), items, first)
                    return ast.copy_location(total, node)
            case ast.Call(ast.Name(id="map" as name), [function, ast.Tuple(elts=items)], []) if name in self._builtins:
                made = [ast.copy_location(ast.Call(copy.deepcopy(function), [item], []), item) for item in items]
                return ast.copy_location(ast.Tuple([*made], ast.Load()), node)
        return node

    def _each(self, node: ast.ListComp | ast.GeneratorExp) -> list[ast.expr] | None:
        """Give the items of a comprehension over a tuple, each written out."""
        match node.generators:
            case [ast.comprehension(target=target, iter=over, ifs=[], is_async=0)]:
                bound = [_bound(target, item) for item in self.worth(over) or ()]
                known = [names for names in bound if names is not None]
                if bound and len(known) == len(bound):
                    return [_Named(names).visit(copy.deepcopy(node.elt)) for names in known]
        return None


def _bound(target: ast.expr, item: ast.expr) -> dict[str, ast.expr] | None:
    match target, item:
        case ast.Name(id=name), _ if isinstance(item, ast.Name | ast.Constant | ast.Tuple):
            return {name: item}
        case ast.Tuple(elts=targets), ast.Tuple(elts=items) if len(targets) == len(items):
            found = [_bound(one, other) for one, other in zip(targets, items, strict=True)]
            return None if None in found else {name: item for names in found if names for name, item in names.items()}
    return None


class _Named(ast.NodeTransformer):
    def __init__(self, names: dict[str, ast.expr]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._names.get(node.id, node)
