"""Intrinsic functions of Fortran: elemental ones, inquiries, and those that reduce or rearrange whole arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.constants import arguments_of, common_type, integer_of, limit
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import path_of
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, INT, LONG, FloatType, IntegerType
from tensorlift.readers.flow import Local
from tensorlift.readers.fortran.arrays import conforming, element, elementwise, extents_of, require_shape, scattered
from tensorlift.readers.fortran.context import is_present, local_type
from tensorlift.readers.fortran.elemental import (
    CONVERSIONS,
    ELEMENTAL,
    KINDS,
    MAX,
    MIN,
    SPECIFIC,
    converted,
    joined_type,
    real_function,
)
from tensorlift.readers.fortran.expressions import arithmetic, integer, number_of, value
from tensorlift.readers.fortran.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.elemental import Elemental
    from tensorlift.readers.fortran.values import ArrayLike, Operand, Size

    Given = list[tuple[str, Any]]


def intrinsic(ctx: Context, node: Any, name: str) -> Operand:
    """Read a reference to an intrinsic function."""
    given = arguments_of(node)
    name = SPECIFIC.get(name, name)
    if name in WHOLE:
        return WHOLE[name](ctx, node, given)
    rule = ELEMENTAL[name]
    kind = next((integer_of(v, ctx.frame.scope) for keyword, v in given if keyword == "kind"), None)
    if any(
        keyword not in {"", "kind", "a", "x", "b", "y", "i", "p", "tsource", "fsource", "mask"} for keyword, _ in given
    ):
        raise ctx.refusal("expression", node)
    operands = [value(ctx, argument) for keyword, argument in given if keyword != "kind"]
    if kind is None and name in CONVERSIONS and len(operands) > 1:
        told = operands.pop()
        kind = told.value if isinstance(told, Number) and isinstance(told.value, int) else 0
    if not operands:
        raise ctx.refusal("expression", node)
    if name in CONVERSIONS:
        family, default = CONVERSIONS[name]
        to = KINDS[family].get(kind if kind is not None else default)
        if to is None or any(operand.ctype is BOOL for operand in operands):
            raise ctx.refusal("expression", node)
        return elementwise(ctx, lambda x: converted(ctx, name, x[0], to), operands, to, node)
    ctype = joined_type(name, [operand.ctype for operand in operands])
    return elementwise(ctx, lambda x: rule(ctx, x, node), operands, ctype, node)


# -- inquiries


def _size(ctx: Context, node: Any, given: Given) -> Operand:
    extents = [extent for _, extent in _bounds(ctx, node, given[0][1])]
    if len(given) == 1:
        found: Size = 1
        for extent in extents:
            found = ctx.combined("*", found, extent)
    else:
        found = extents[_axis(ctx, given[1][1], len(extents), node)]
    return _as_integer(ctx, found)


def _axis(ctx: Context, told: Any, rank: int, node: Any) -> int:
    axis = integer_of(told, ctx.frame.scope)
    if axis is None or not 1 <= axis <= rank:
        raise ctx.refusal("expression", node)
    return axis - 1


def _as_integer(ctx: Context, size: Size) -> Number:
    if isinstance(size, int):
        return Number(size, INT)
    return ctx.cast(Number(size, LONG), INT)


def _bound(ctx: Context, node: Any, given: Given, *, upper: bool) -> Operand:
    bounds = _bounds(ctx, node, given[0][1])
    ends = [ctx.combined("-", ctx.combined("+", low, extent), 1) if upper else low for low, extent in bounds]
    if len(given) == 1:
        return _listed(ctx, [_as_integer(ctx, end) for end in ends], INT)
    return _as_integer(ctx, ends[_axis(ctx, given[1][1], len(ends), node)])


def _shape(ctx: Context, node: Any, given: Given) -> Operand:
    return _listed(ctx, [_as_integer(ctx, extent) for _, extent in _bounds(ctx, node, given[0][1])], INT)


def _bounds(ctx: Context, node: Any, of: Any) -> list[tuple[Size, Size]]:
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


def _listed(ctx: Context, items: Sequence[Number], ctype: Numeric) -> View:
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


def _present(ctx: Context, node: Any, given: Given) -> Operand:
    symbol = ctx.frame.scope.find(str(given[0][1]).lower())
    if symbol is None or "optional" not in symbol.attributes:
        raise ctx.refusal("expression", node)
    return Number(int(is_present(ctx, symbol)), BOOL)


# -- reductions

Fold = "Callable[[Number, Number], Number]"


def _array(ctx: Context, given: Given, node: Any) -> ArrayLike:
    found = value(ctx, given[0][1])
    if isinstance(found, Number):
        raise ctx.refusal("expression", node)
    return found


def _options(ctx: Context, given: Given, rank: int, node: Any) -> tuple[int | None, Operand | None]:
    """Give the dimension and the mask of a reduction, which may come without keywords."""
    axis, mask = None, None
    for keyword, told in given[1:]:
        found = None if keyword == "dim" else value(ctx, told)
        if keyword == "mask" or (not keyword and found is not None and found.ctype is BOOL):
            mask = found
        elif keyword in {"", "dim"} and axis is None:
            axis = _axis(ctx, told, rank, node)
        else:
            raise ctx.refusal("expression", node)
    return axis, mask


def _folded(  # noqa: PLR0913, PLR0917 - over what, from what, and how
    ctx: Context,
    extents: Sequence[Size],
    start: Number,
    step: Callable[[Number, Sequence[Size]], Number],
    mask: Operand | None = None,
    name: str = "sum",
) -> Number:
    """Fold over the places of a box, only those where a mask holds."""
    local = Local(local_type(start.ctype), ctx.at, ctx.temporary(name))
    ctx.flow.write(local, ctx.value(start))

    def visit(places: list[Size]) -> None:
        def follow() -> None:
            now = step(Number(ctx.flow.read(local), start.ctype), places)
            ctx.flow.write(local, ctx.value(ctx.cast(now, start.ctype)))

        if mask is None:
            follow()
        else:
            ctx.choose(ctx.value(element(ctx, mask, places)), follow)

    ctx.everywhere(extents, visit)
    return Number(ctx.flow.read(local), start.ctype)


def _reduced(
    ctx: Context, node: Any, given: Given, start: Callable[[Numeric], Number], join: Callable[[Number, Number], Number]
) -> Operand:
    """Reduce an array, or along one of its dimensions."""
    array = _array(ctx, given, node)
    extents = extents_of(ctx, array, node)
    axis, mask = _options(ctx, given, len(extents), node)
    if isinstance(mask, View | Rule):
        require_shape(ctx, extents, extents_of(ctx, mask, node), node)
    ctype = start(array.ctype).ctype
    if axis is None or len(extents) == 1:
        return _folded(
            ctx, extents, start(array.ctype), lambda now, places: join(now, element(ctx, array, places)), mask
        )
    dimension = axis

    def at(places: Sequence[Size]) -> Number:
        def whole(inner: Sequence[Size]) -> list[Size]:
            return [*places[:dimension], *inner, *places[dimension:]]

        inside = None
        if mask is not None:
            of = mask
            inside = Rule((extents[dimension],), lambda inner: element(ctx, of, whole(inner)), BOOL)
        return _folded(
            ctx,
            [extents[dimension]],
            start(array.ctype),
            lambda now, inner: join(now, element(ctx, array, whole(inner))),
            inside,
        )

    rest = (*extents[:dimension], *extents[dimension + 1 :])
    return Rule(rest, at, ctype, scattered(array, *([mask] if mask is not None else [])))


def _sum(ctx: Context, node: Any, given: Given) -> Operand:
    return _reduced(ctx, node, given, lambda t: _number(0, t), lambda a, b: arithmetic(ctx, "+", a, b))


def _product(ctx: Context, node: Any, given: Given) -> Operand:
    return _reduced(ctx, node, given, lambda t: _number(1, t), lambda a, b: arithmetic(ctx, "*", a, b))


def _number(number: int, ctype: Numeric) -> Number:
    return Number(float(number) if isinstance(ctype, FloatType) else number, ctype)


def _count(ctx: Context, node: Any, given: Given) -> Operand:
    def join(now: Number, here: Number) -> Number:
        one = ctx.operation("arith.extui", (ctx.value(here),), ir_type(INT))
        return arithmetic(ctx, "+", now, Number(one, INT))

    return _reduced(ctx, node, given, lambda _: Number(0, INT), join)


def _quantified(operation: str, start: int) -> Callable[[Context, Any, Given], Operand]:
    def rule(ctx: Context, node: Any, given: Given) -> Operand:
        def join(now: Number, here: Number) -> Number:
            return Number(ctx.operation(operation, (ctx.value(now), ctx.value(here)), i1), BOOL)

        return _reduced(ctx, node, given, lambda _: Number(start, BOOL), join)

    return rule


def _extremum(choose: Elemental, sign: int) -> Callable[[Context, Any, Given], Operand]:
    """Make the rule of `maxval` or `minval`: of nothing it is the number that is least or greatest in its type."""

    def rule(ctx: Context, node: Any, given: Given) -> Operand:
        def of_nothing(ctype: Numeric) -> Number:
            most = limit("huge", ctype)
            if most is None:
                raise ctx.refusal("expression", node)
            if isinstance(ctype, IntegerType):
                return Number(ctype.minimum if sign < 0 else ctype.maximum, ctype)
            return Number(sign * most.value, ctype)

        def join(now: Number, here: Number) -> Number:
            return choose(ctx, (now, here), node)

        array = _array(ctx, given, node)
        start = of_nothing(array.ctype)
        if not start.is_real:
            return _reduced(ctx, node, given, of_nothing, join)
        if len(given) > 1:
            raise ctx.refusal("expression", node)
        return _of_some(ctx, array, start, join, node)

    return rule


def _of_some(
    ctx: Context, array: ArrayLike, start: Number, join: Callable[[Number, Number], Number], node: Any
) -> Number:
    """Fold an array from its first element on, where it has one."""
    extents = extents_of(ctx, array, node)
    local = Local(local_type(start.ctype), ctx.at, ctx.temporary("most"))
    ctx.flow.write(local, ctx.value(start))

    def fold() -> None:
        first = element(ctx, array, [0] * len(extents))
        found = _folded(ctx, extents, first, lambda now, places: join(now, element(ctx, array, places)), name="most")
        ctx.flow.write(local, ctx.value(found))

    some = [
        ctx.comparison(">=", ctx.size(extent), ctx.constant(1, LONG), LONG)
        for extent in extents
        if not isinstance(extent, int) or extent < 1
    ]
    if not some:
        fold()
        return Number(ctx.flow.read(local), start.ctype)
    condition = some[0]
    for other in some[1:]:
        condition = ctx.operation("arith.andi", (condition, other), i1)
    ctx.choose(condition, fold)
    return Number(ctx.flow.read(local), start.ctype)


def _place_of(operator: str) -> Callable[[Context, Any, Given], Operand]:
    """Make the rule of `maxloc` or `minloc` of a vector: the first place of its extreme, zero where it is empty."""

    def rule(ctx: Context, node: Any, given: Given) -> Operand:
        array = _array(ctx, given, node)
        extents = extents_of(ctx, array, node)
        axis, mask = _options(ctx, given, len(extents), node)
        if len(extents) != 1 or axis is None or mask is not None or array.ctype is BOOL:
            raise ctx.refusal("expression", node)
        best = Local(local_type(LONG), ctx.at, ctx.temporary("best"))
        none = ctx.constant(0, LONG)
        ctx.flow.write(best, none)

        def visit(place: SSAValue) -> None:
            here, most = element(ctx, array, [place]), element(ctx, array, [ctx.flow.read(best)])
            is_better = ctx.comparison(operator, ctx.value(here), ctx.value(most), array.ctype)
            ctx.choose(is_better, lambda: ctx.flow.write(best, place))

        ctx.count(extents[0], visit, first=1)
        some = ctx.comparison(">=", ctx.size(extents[0]), ctx.constant(1, LONG), LONG)
        place = ctx.size(ctx.combined("+", ctx.flow.read(best), 1))
        return _as_integer(ctx, ctx.operation("arith.select", (some, place, none), local_type(LONG)))

    return rule


def _dot(ctx: Context, node: Any, given: Given) -> Operand:
    arrays = [value(ctx, argument) for _, argument in given]
    if len(arrays) != 2 or any(isinstance(a, Number) or len(a.extents) != 1 for a in arrays):  # noqa: PLR2004 - two vectors
        raise ctx.refusal("expression", node)
    left, right = (a for a in arrays if not isinstance(a, Number))
    if BOOL in {left.ctype, right.ctype}:
        raise ctx.refusal("expression", node)
    extents = conforming(ctx, [left, right], node)
    ctype = common_type(left.ctype, right.ctype)

    def step(now: Number, places: Sequence[Size]) -> Number:
        return arithmetic(ctx, "+", now, arithmetic(ctx, "*", element(ctx, left, places), element(ctx, right, places)))

    return _folded(ctx, extents, _number(0, ctype), step)


def _norm(ctx: Context, node: Any, given: Given) -> Operand:
    array = _array(ctx, given, node)
    if not isinstance(array.ctype, FloatType) or len(given) > 1:
        raise ctx.refusal("expression", node)

    def step(now: Number, places: Sequence[Size]) -> Number:
        here = element(ctx, array, places)
        return arithmetic(ctx, "+", now, arithmetic(ctx, "*", here, here))

    squares = _folded(ctx, extents_of(ctx, array, node), _number(0, array.ctype), step)
    return real_function("sqrt")(ctx, [squares], node)


def _matmul(ctx: Context, node: Any, given: Given) -> Operand:
    operands = [value(ctx, argument) for _, argument in given]
    if len(operands) != 2 or any(isinstance(o, Number) or o.ctype is BOOL for o in operands):  # noqa: PLR2004 - two matrices
        raise ctx.refusal("expression", node)
    left, right = (o for o in operands if not isinstance(o, Number))
    rows, columns = extents_of(ctx, left, node), extents_of(ctx, right, node)
    require_shape(ctx, rows[-1:], columns[:1], node)
    ctype = common_type(left.ctype, right.ctype)

    def at(places: Sequence[Size]) -> Number:
        outer, inner = list(places[: len(rows) - 1]), list(places[len(rows) - 1 :])

        def step(now: Number, k: Sequence[Size]) -> Number:
            pair = element(ctx, left, [*outer, *k]), element(ctx, right, [*k, *inner])
            return arithmetic(ctx, "+", now, arithmetic(ctx, "*", *pair))

        return _folded(ctx, [rows[-1]], _number(0, ctype), step)

    return Rule((*rows[:-1], *columns[1:]), at, ctype, scattered(left, right))


def _transpose(ctx: Context, node: Any, given: Given) -> Operand:
    array = _array(ctx, given, node)
    if len(array.extents) != 2:  # noqa: PLR2004 - a matrix
        raise ctx.refusal("expression", node)
    if isinstance(array, View):
        turned = array.extents[::-1], array.strides[::-1]
        return replace(array, extents=turned[0], strides=turned[1], lower=(1, 1), key=str(node).lower())
    extents = extents_of(ctx, array, node)
    return Rule(extents[::-1], lambda places: element(ctx, array, places[::-1]), array.ctype, scattered(array))


def _spread(ctx: Context, node: Any, given: Given) -> Operand:
    source = value(ctx, given[0][1])
    named = {keyword or ("source", "dim", "ncopies")[k]: told for k, (keyword, told) in enumerate(given)}
    if named.keys() != {"source", "dim", "ncopies"}:
        raise ctx.refusal("expression", node)
    extents = () if isinstance(source, Number) else extents_of(ctx, source, node)
    axis = _axis(ctx, named["dim"], len(extents) + 1, node)
    copies = ctx.as_size(integer(ctx, named["ncopies"]))
    shape = (*extents[:axis], copies, *extents[axis:])
    return Rule(
        shape,
        lambda places: element(ctx, source, [*places[:axis], *places[axis + 1 :]]),
        source.ctype,
        scattered(source),
    )


def _shifted(ctx: Context, node: Any, given: Given) -> Operand:
    """Read `cshift` by a number that the source states: along a dimension, round about."""
    array = _array(ctx, given, node)
    extents = extents_of(ctx, array, node)
    named = {keyword or ("array", "shift", "dim")[k]: told for k, (keyword, told) in enumerate(given)}
    axis = _axis(ctx, named["dim"], len(extents), node) if "dim" in named else 0
    shift = integer_of(named.get("shift"), ctx.frame.scope)
    if shift is None:
        raise ctx.refusal("expression", node)
    extent = ctx.size(extents[axis])

    def at(places: Sequence[Size]) -> Number:
        moved = ctx.arithmetic("+", ctx.size(places[axis]), ctx.constant(shift, LONG), LONG)
        whole = ctx.arithmetic("*", ctx.arithmetic("//", moved, extent, LONG), extent, LONG)
        place = ctx.arithmetic("-", moved, whole, LONG)
        return element(ctx, array, [*places[:axis], place, *places[axis + 1 :]])

    return Rule(extents, at, array.ctype, scattered(array), array.room)


WHOLE: Mapping[str, Callable[[Context, Any, Given], Operand]] = {
    "all": _quantified("arith.andi", 1),
    "any": _quantified("arith.ori", 0),
    "count": _count,
    "cshift": _shifted,
    "dot_product": _dot,
    "epsilon": _limit,
    "huge": _limit,
    "lbound": lambda ctx, node, given: _bound(ctx, node, given, upper=False),
    "matmul": _matmul,
    "maxloc": _place_of(">"),
    "minloc": _place_of("<"),
    "maxval": _extremum(MAX, -1),
    "minval": _extremum(MIN, 1),
    "norm2": _norm,
    "present": _present,
    "product": _product,
    "shape": _shape,
    "size": _size,
    "spread": _spread,
    "sum": _sum,
    "tiny": _limit,
    "transpose": _transpose,
    "ubound": lambda ctx, node, given: _bound(ctx, node, given, upper=True),
}
INTRINSICS = {*WHOLE, *ELEMENTAL, *SPECIFIC}
