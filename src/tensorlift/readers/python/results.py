"""What a function gives back: numbers, and arrays in memory that its caller passes.

The front end says where the items of what Python returns go: to the result of the function, to a parameter that the
source does not have, or nowhere, where the caller has them already.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.ops.c_types import VoidType
from tensorlift.readers.python.arrays import fill, placed, store
from tensorlift.readers.python.evaluation import evaluate
from tensorlift.readers.python.values import Number, Rule, View

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import SSAValue

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import Operand


def give_back(ctx: Context, value: ast.expr | None, place: LocationAttr) -> None:
    """Return from the function."""
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        returns: list[SSAValue] = []
        if not isinstance(ctx.inferred.result, VoidType):
            raise ctx.refusal("a function that returns a number in some places alone")
    else:
        items = value.elts if isinstance(value, ast.Tuple) else [value]
        found = [evaluate(ctx, item) for item in items]
        returns = []
        for name, item in zip(ctx.inferred.returns, found, strict=True):
            if name:
                _give(ctx, name, item)
            else:
                returns.append(_result(ctx, item))
    ctx.flow.leave(returns, place)


def _result(ctx: Context, item: Operand) -> SSAValue:
    assert isinstance(item, Number)
    assert not isinstance(ctx.inferred.result, VoidType)
    return ctx.value(ctx.cast(item, ctx.inferred.result))


def _give(ctx: Context, name: str, item: Operand) -> None:
    """Leave an item in the memory for it, where it does not lie there already."""
    if isinstance(item, Number) and name in ctx.results:
        found = placed(ctx, name, Rule((), None))
        store(ctx, found, (), ctx.cast(item, found.element))
        return
    assert isinstance(item, View | Rule)
    if name in ctx.results:
        fill(ctx, placed(ctx, name, item), item)
    else:
        _check_given(ctx, ctx.given[name], item)


def _check_given(ctx: Context, given: View, item: View | Rule) -> None:
    """Refuse to return a part of an array that the caller has, or another one in its place."""
    if not isinstance(item, View) or item.base is not given.base:
        raise ctx.refusal("what is returned")
    if item.strides != given.strides or item.offset is not given.offset or item.extents != given.extents:
        raise ctx.refusal("a part of an array that is returned")
