"""What a function gives back: numbers, and arrays in memory that its caller passes.

``tl.returns`` of the loop IR says where the items of what Python returns go: to the result of the function, or to a
parameter that the source does not have.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.frontends.c.c_types import BOOL
from tensorlift.frontends.python.scalars import DTYPES
from tensorlift.readers.python.arrays import fill, store
from tensorlift.readers.python.evaluation import evaluate
from tensorlift.readers.python.values import Number, Rule, View

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import CNumber, Operand

_NAMES = {"f": "float", "i": "int", "u": "uint"}


def number_type(dtype: str) -> CNumber:
    """Give the type of numbers that the loop IR calls ``f64``, ``u8`` and so on."""
    return BOOL if dtype == "bool" else DTYPES[f"{_NAMES[dtype[0]]}{dtype[1:]}"]


def give_back(ctx: Context, value: ast.expr | None) -> None:
    """Return from the function."""
    place = ctx.at
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        returns: list[SSAValue] = []
        if ctx.view.result_dtype is not None:
            raise ctx.refusal("a function that returns a number in some places alone")
    else:
        items = value.elts if isinstance(value, ast.Tuple) else [value]
        found = [evaluate(ctx, item) for item in items]
        wanted = [name for name, _ in ctx.view.returns]
        if len(wanted) != len(found):
            raise ctx.refusal("what is returned")
        returns = []
        for name, item in zip(wanted, found, strict=True):
            if name:
                _give(ctx, ctx.given[name], item)
            else:
                returns.append(_result(ctx, item))
    ctx.flow.leave(returns, place)


def _result(ctx: Context, item: Operand) -> SSAValue:
    if not isinstance(item, Number) or ctx.view.result_dtype is None:
        raise ctx.refusal("what is returned")
    return ctx.value(ctx.cast(item, number_type(ctx.view.result_dtype)))


def _give(ctx: Context, target: View, item: Operand) -> None:
    """Leave an item in the memory for it, where it does not lie there already."""
    if isinstance(item, Number) and not target.extents:
        store(ctx, target, (), ctx.cast(item, target.element))
        return
    if not isinstance(item, View | Rule) or len(item.extents) != len(target.extents):
        raise ctx.refusal("what is returned")
    for mine, own in zip(target.extents, item.extents, strict=True):
        ctx.require_equal(mine, own)
    if isinstance(item, View) and item.base is target.base:
        if item.strides != target.strides or item.offset is not target.offset:
            raise ctx.refusal("a part of an array that is returned")
        return
    fill(ctx, target, item)
