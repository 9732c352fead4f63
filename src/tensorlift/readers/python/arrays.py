"""Arrays: their elements, element by element functions, and memory that is made and filled.

An expression on whole arrays is a rule, whose elements are computed where they are stored: functions of elements have
no effects.  A value that reads the memory that it is stored into lies in memory of its own before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, MemRefType, i1, i32
from xdsl.dialects.memref import AllocOp, LoadOp, StoreOp
from xdsl.ir import BlockArgument, SSAValue

from tensorlift.ir.literal_function import NEGATIVE
from tensorlift.ops.c_types import BOOL, LONG, FloatType, IntegerType
from tensorlift.readers.flow import Flow
from tensorlift.readers.python.context import INDEX, memory_type
from tensorlift.readers.python.loops import over
from tensorlift.readers.python.numbers import counted, integer
from tensorlift.readers.python.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xdsl.ir import Attribute, Block

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import ArrayLike, CNumber, Operand, Size


# -- elements


def element(ctx: Context, array: ArrayLike, indices: Sequence[Size]) -> Number:
    """Give the element at indices that are inside."""
    if isinstance(array, View):
        memory, kind = array.base, _kind_of(array)
        made = LoadOp.create(operands=(memory, _place(ctx, array, indices)), result_types=(kind,), location=ctx.at)
        ctx.flow.current.block.add_op(made)
        weak = array.is_list and not array.of_numpy
        return Number(made.results[0], array.element, weak, is_test=kind == i1)
    if array.at is None:
        raise ctx.refusal("an array whose elements are not set")
    return array.at(indices)


def store(ctx: Context, view: View, indices: Sequence[Size], value: Number) -> None:
    """Store a number, as a list keeps it, or converted as an array does."""
    if view.is_list and value.is_truth and not (value.weak or view.of_numpy):
        raise ctx.refusal("a list that holds truth values of NumPy")
    if view.is_list and value.is_truth and view.element == LONG:
        value = counted(ctx, value)
    if view.is_list and value.ctype != view.element and not (value.weak and isinstance(view.element, FloatType)):
        raise ctx.refusal("a list that holds values of several types")
    fitting = _fitting(ctx, value, view.element)
    held = ctx.test(fitting) if _kind_of(view) == i1 else ctx.value(fitting)
    made = StoreOp.create(operands=(held, view.base, _place(ctx, view, indices)), location=ctx.at)
    ctx.flow.add(made)


def _kind_of(view: View) -> Attribute:
    """Give the type of the elements in memory: truth values are bits where the reader makes it."""
    memory: Any = view.base
    found: Attribute = memory.type.element_type
    return found


def _fitting(ctx: Context, value: Number, ctype: CNumber) -> Number:
    """Convert to the type of an element; raise for an integer of Python that it does not hold."""
    is_counted = value.weak and value.ctype == LONG and value.literal is None
    if is_counted and isinstance(ctype, IntegerType) and ctype is not BOOL and not ctype.contains(LONG):
        own = ctx.value(value)
        for operator, bound in ((">=", ctype.minimum), ("<=", ctype.maximum)):
            if -(1 << 63) <= bound < 1 << 63:
                ctx.require(ctx.comparison(operator, own, ctx.constant(bound, LONG), LONG), "OverflowError")
    return ctx.cast(value, ctype)


def _place(ctx: Context, view: View, indices: Sequence[Size]) -> SSAValue:
    offset = moved(ctx, view.offset, zip(indices, view.strides, strict=True))
    return ctx.operation("arith.index_cast", (ctx.size(offset),), INDEX)


def moved(ctx: Context, offset: Size, steps: Iterable[tuple[Size, Size]]) -> Size:
    """Move an offset by some indices, each by its distance."""
    total: Size = 0
    for index, stride in steps:
        total = ctx.combined("+", total, ctx.combined("*", index, stride))
    return ctx.combined("+", offset, total)


def element_type(ctx: Context, array: ArrayLike) -> CNumber:
    """Give the type of the elements; of a rule, an element is computed for that in a block that is thrown away."""
    if array.element is not None:
        return array.element
    outer, ctx.flow.current = ctx.flow.current, Flow(is_sealed=True)
    trial = ctx.flow.current
    found = element(ctx, array, [0] * len(array.extents)).ctype
    ctx.flow.current = outer
    trial.block.drop_all_references()
    return found


# -- element by element


def elementwise(
    ctx: Context, apply: Callable[[Context, Sequence[Number]], Number], operands: Sequence[Operand]
) -> Operand:
    """Apply a function of numbers, element by element where an operand is an array."""
    numbers = [operand for operand in operands if isinstance(operand, Number)]
    if len(numbers) == len(operands):
        return apply(ctx, numbers)
    for number in numbers:
        if isinstance(number.value, SSAValue) and number.value.name_hint is None:
            number.value.name_hint = ctx.temporary()
    arrays = [operand for operand in operands if isinstance(operand, View | Rule)]
    if len(arrays) + len(numbers) < len(operands) or any(array.is_list for array in arrays):
        raise ctx.refusal("arithmetic of lists or tuples")
    extents = common(ctx, arrays)

    def at(indices: Sequence[Size]) -> Number:
        return apply(ctx, [o if isinstance(o, Number) else broadcast(ctx, o, indices) for o in operands])  # type: ignore[arg-type]  # arrays are left

    return Rule(extents, at, frozenset().union(*(array.reads for array in arrays)))


def common(ctx: Context, arrays: Sequence[ArrayLike]) -> tuple[Size, ...]:
    """Give the extents of a result; an extent of one, where the source states it, is stretched, others are equal."""
    rank = max(len(array.extents) for array in arrays)
    found: list[Size] = []
    for axis in range(-rank, 0):
        extents = [array.extents[axis] for array in arrays if len(array.extents) >= -axis]
        first, *others = [extent for extent in extents if not _is_one(extent)] or extents[:1]
        for other in others:
            ctx.require_equal(first, other)
        found.append(first)
    return tuple(found)


def broadcast(ctx: Context, array: ArrayLike, indices: Sequence[Size]) -> Number:
    """Give an element of an array that is stretched over a result of at least its rank."""
    own = indices[len(indices) - len(array.extents) :]
    return element(ctx, array, [0 if _is_one(e) else i for e, i in zip(array.extents, own, strict=True)])


def _is_one(extent: Size) -> bool:
    return isinstance(extent, int) and extent == 1


# -- memory


def dense(ctx: Context, extents: Sequence[Size]) -> tuple[Size, ...]:
    """Give the distances between elements that lie row by row."""
    strides: list[Size] = [1] * len(extents)
    for axis in range(len(extents) - 1, 0, -1):
        strides[axis - 1] = ctx.combined("*", extents[axis], strides[axis])
    return tuple(strides)


def allocate(ctx: Context, name: str, of_type: CNumber, extents: Sequence[Size], *, is_list: bool = False) -> View:
    """Make memory for an array."""
    strides, count = _sized(ctx, extents)
    return View(
        _memory(ctx, ctx.flow.current.block, name, of_type, count), 0, tuple(extents), strides, of_type, is_list
    )


def _sized(ctx: Context, extents: Sequence[Size]) -> tuple[tuple[Size, ...], SSAValue]:
    strides = _laid_out(ctx, extents)
    count, *others = map(ctx.size, extents or (1,))
    for extent in others:
        count = ctx.arithmetic("*", count, extent, LONG, weak=True)
    return strides, ctx.operation("arith.index_cast", (count,), INDEX)


def _laid_out(ctx: Context, extents: Sequence[Size]) -> tuple[Size, ...]:
    """Give the distances between the elements of an array; raise where an extent is negative."""
    require_extents(ctx, extents)
    return dense(ctx, extents)


def require_extents(ctx: Context, extents: Sequence[Size]) -> None:
    """Raise where an extent is negative."""
    for extent in extents:
        if isinstance(extent, int) and extent < 0:
            raise ctx.refusal("a negative extent")
        if not isinstance(extent, int) and not ctx.is_counted(extent):
            ctx.require(ctx.comparison(">=", extent, ctx.constant(0, LONG), LONG), NEGATIVE)
            ctx.counters.add(extent)


def _memory(ctx: Context, block: Block, name: str, of_type: CNumber, count: SSAValue) -> SSAValue:
    made = AllocOp.create(
        operands=(count,),
        result_types=(MemRefType(i1, [DYNAMIC_INDEX]) if of_type is BOOL else memory_type(of_type),),
        properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0])},
        location=ctx.at,
    )
    made.results[0].name_hint = ctx.hint(name)
    block.add_op(made)
    return made.results[0]


def placed(ctx: Context, name: str, value: ArrayLike) -> View:
    """Take the memory of the caller in which an array is to be returned that is like another one."""
    found, extents = ctx.results[name], value.extents
    made = View(found.base, found.offset, extents, _laid_out(ctx, extents), found.element, value.is_list)
    ctx.given[name] = made
    return made


def fill(ctx: Context, target: View, value: Number | ArrayLike) -> None:
    """Store an array, or one number everywhere, into an array."""
    if isinstance(value, Number):
        held = _fitting(ctx, value, target.element)
        held = replace(held, value=ctx.value(held), weak=target.is_list, is_test=False)
        over(ctx, target.extents, lambda indices: store(ctx, target, indices, held))
        return
    if isinstance(value, Rule) and value.at is None:
        if isinstance(target.base, BlockArgument):  # what is returned holds numbers that do not depend on the caller
            fill(ctx, target, integer(0))
        return
    for mine, given in zip(reversed(target.extents), reversed(value.extents), strict=False):
        if not _is_one(given):
            ctx.require_equal(mine, given)
    if target.base in value.reads:
        value = in_memory(ctx, value)
    source = value
    over(ctx, target.extents, lambda indices: store(ctx, target, indices, broadcast(ctx, source, indices)))


def in_memory(ctx: Context, value: ArrayLike, name: str = "") -> View:
    """Store an array into memory of its own."""
    is_list, extents, name = value.is_list, value.extents, name or ctx.temporary()
    if value.element is not None:
        made = allocate(ctx, name, value.element, extents, is_list=is_list)
        over(ctx, extents, lambda indices: store(ctx, made, indices, element(ctx, value, indices)))
        return replace(made, is_new=True)
    strides, count = _sized(ctx, extents)
    before, found = ctx.flow.current.block, list[View]()

    def body(indices: Sequence[Size]) -> None:
        item = element(ctx, value, indices)  # tells the type
        base = _memory(ctx, before, name, item.ctype, count)
        found.append(View(base, 0, extents, strides, item.ctype, is_list, is_new=True))
        store(ctx, found[0], indices, item)

    over(ctx, extents, body)
    return found[0]
