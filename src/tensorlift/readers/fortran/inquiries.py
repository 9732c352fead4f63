"""Intrinsic functions of Fortran that ask for shapes, bounds and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import LIMITS, integer_of, limit
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import path_of
from tensorlift.ops.c_types import BOOL, INT, LONG
from tensorlift.readers.fortran.arrays import count_of, extents_of
from tensorlift.readers.fortran.context import is_present
from tensorlift.readers.fortran.expressions import number_of, value
from tensorlift.readers.fortran.values import Number, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import Given, Intrinsic, Operand, Size


def _size(ctx: Context, node: Any, given: Given) -> Operand:
    extents = [extent for _, extent in bounds_of_array(ctx, node, given[0][1])]
    is_whole = len(given) == 1
    found = count_of(ctx, extents) if is_whole else extents[dimension_of(ctx, given[1][1], len(extents), node)]
    return as_integer(ctx, found)


def dimension_of(ctx: Context, told: Any, rank: int, node: Any) -> int:
    """Give a dimension that the source states, counted from nothing."""
    axis = integer_of(told, ctx.frame.scope)
    if axis is None or not 1 <= axis <= rank:
        raise ctx.refusal("expression", node)
    return axis - 1


def as_integer(ctx: Context, size: Size) -> Number:
    """Give a size as an integer of the default kind."""
    if isinstance(size, int):
        return Number(size, INT)
    return ctx.cast(Number(size, LONG), INT)


def _bound(ctx: Context, node: Any, given: Given, *, upper: bool) -> Operand:
    bounds = bounds_of_array(ctx, node, given[0][1])
    ends = [ctx.combined("-", ctx.combined("+", low, extent), 1) if upper else low for low, extent in bounds]
    if len(given) == 1:
        return listed(ctx, [as_integer(ctx, end) for end in ends], INT)
    return as_integer(ctx, ends[dimension_of(ctx, given[1][1], len(ends), node)])


def _shape(ctx: Context, node: Any, given: Given) -> Operand:
    return listed(ctx, [as_integer(ctx, extent) for _, extent in bounds_of_array(ctx, node, given[0][1])], INT)


def bounds_of_array(ctx: Context, node: Any, of: Any) -> list[tuple[Size, Size]]:
    """Give the lower bound and the extent of each dimension of an array, which may be one of structures."""
    symbol = ctx.frame.scope.find(path_of(of)) if kind_of(of) in {"Name", "Data_Ref"} else None
    if symbol is None or symbol.derived is None:
        array = value(ctx, of)
    else:
        names = [leaf.name for leaf in symbol.leaves() if leaf.name in ctx.frame.bound or leaf.same in ctx.outside]
        array = ctx.binding(names[0] if names else symbol.leaves()[0].name, of)  # type: ignore[assignment]  # an array
    if isinstance(array, Number) or (symbol is not None and not symbol.bounds):
        raise ctx.refusal("expression", node)
    extents = extents_of(ctx, array, node)
    lower = array.lower if isinstance(array, View) else (1,) * len(extents)
    rank = len(symbol.bounds) if symbol is not None and symbol.derived is not None else len(extents)
    return [*zip(lower, extents, strict=True)][:rank]


def listed(ctx: Context, items: Sequence[Number], ctype: Numeric) -> View:
    """Make a vector of numbers."""
    made = ctx.array(ctx.temporary(), [len(items)], ctype)
    for place, item in enumerate(items):
        ctx.store(made, [place], item)
    return made


def _limit(ctx: Context, node: Any, given: Given) -> Operand:
    found = limit(str(node.children[0]).lower(), value(ctx, given[0][1]).ctype)
    if found is None:
        raise ctx.refusal("expression", node)
    return number_of(found)


def _allocated(ctx: Context, node: Any, given: Given) -> Operand:
    """Tell whether an array is allocated: those that come from outside are, others where a statement before does so."""
    symbol = ctx.frame.scope.find(path_of(given[0][1]))
    if symbol is None or not symbol.is_deferred or len(given) != 1:
        raise ctx.refusal("expression", node)
    if any(leaf in ctx.unsure for leaf in symbol.leaves()) or symbol.intent == "out":
        raise ctx.refusal("expression", node)
    if symbol.is_dummy or symbol.is_outside:
        return Number(1, BOOL)
    if ctx.frame.loops or ctx.frame.labels:
        raise ctx.refusal("expression", node)
    return Number(int(any(leaf.name in ctx.frame.bound for leaf in symbol.leaves())), BOOL)


def _present(ctx: Context, node: Any, given: Given) -> Operand:
    symbol = ctx.frame.scope.find(str(given[0][1]).lower())
    if symbol is None or "optional" not in symbol.attributes:
        raise ctx.refusal("expression", node)
    return Number(int(is_present(ctx, symbol)), BOOL)


INQUIRIES: Mapping[str, Intrinsic] = {
    "allocated": _allocated,
    "lbound": lambda ctx, node, given: _bound(ctx, node, given, upper=False),
    "present": _present,
    "shape": _shape,
    "size": _size,
    "ubound": lambda ctx, node, given: _bound(ctx, node, given, upper=True),
    **dict.fromkeys(LIMITS, _limit),
}
