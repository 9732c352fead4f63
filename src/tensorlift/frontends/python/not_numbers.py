"""Where NaN that a source writes, as ``np.full(n, np.nan)`` does, may reach what orders numbers.

A proof is over the reals, where ``b if b > a else a`` is the greater of two numbers.  So NaN of the source may be
stored, chosen, computed with and asked for by ``np.isnan``, but not compared for order.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tensorlift.frontends.python.syntax import names_in, root_of, stored_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_ORDERS = re.compile(r"min|max|arg|sort|sign|clip|median|percentile|quantile|search|digit|hist|unique|heaviside|ptp")
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def ordered_nan(function: ast.FunctionDef, helpers: Mapping[str, ast.FunctionDef]) -> ast.expr | None:
    """Give the first expression that NaN of a source may reach and that asks for an order; None where none does."""
    giving = {name for name, helper in helpers.items() if helper is not function and _writes(helper)}
    if not _writes(function) and names_in(function).isdisjoint(giving):
        return None
    held, before = set[str](), -1
    while len(held) > before:
        before = len(held)
        for node in ast.walk(function):
            if isinstance(node, ast.stmt | ast.NamedExpr | ast.comprehension):
                held |= _bound(node, held, giving)
    called = [ordered_nan(helpers[name], {}) for name in sorted(giving & names_in(function))]
    asked = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.expr) and any(_may_be(one, held, giving) for one in _asked(node, helpers))
    ]
    return next((one for one in (*asked, *called) if one is not None), None)


def _writes(node: ast.AST) -> bool:
    return any(_is_nan(one) for one in ast.walk(node))


def _is_nan(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
            return name in {"nan", "NaN"}
        case ast.Constant(value=str(text)):
            return text.strip("+-").lower() == "nan"
    return False


def _bound(node: ast.AST, held: Collection[str], giving: Collection[str]) -> set[str]:
    """Give the names that may hold NaN after a statement."""
    match node:
        case ast.Assign(targets=targets, value=value):
            pass
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            targets = [target]
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            targets = [target]
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            targets = [target]
        case ast.Expr(ast.Call(ast.Attribute(value=target), [value])):
            targets = [target]
        case _:
            return set()
    if not _may_be(value, held, giving):
        return set()
    return {*stored_in(targets)} | {root_of(target) for target in targets}


def _may_be(node: ast.expr, held: Collection[str], giving: Collection[str]) -> bool:
    """Whether NaN of the source may be in what an expression reads."""
    return _writes(node) or not names_in(node).isdisjoint({*held, *giving})


def _asked(node: ast.expr, helpers: Mapping[str, ast.FunctionDef]) -> Sequence[ast.expr]:
    """Give what an expression orders, or hands to a function that may."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others) if any(isinstance(op, _ORDERED) for op in ops):
            return [left, *others]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=named) if name in helpers:
            return [*args, *(keyword.value for keyword in named)]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if _ORDERS.search(name):
            return [node]
    return ()
