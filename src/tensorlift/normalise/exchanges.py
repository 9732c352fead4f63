"""Arrays that change places in each iteration of a loop: ``t = now; now = next; next = t;``.

A loop that computes the next state from the present one has no array that stays where it is.  With an exchange of all
elements instead, each has its own, which is the same where nobody else reaches them: memory that the function makes,
and that only the loop hands on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.normalise.induction import nested_loops
from tensorlift.normalise.splitting import factors_of
from tensorlift.normalise.steering import is_memory
from tensorlift.normalise.values import Array

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from tensorlift.normalise.evolution import LoopView
    from tensorlift.normalise.execution import Execution
    from tensorlift.poly.loops import LoopRange
    from tensorlift.poly.polynomial import Polynomial


def exchanged(view: LoopView) -> list[tuple[int, int]]:
    """List the arguments of a loop's header that are memory, and change places in each iteration."""
    places = {value: number for number, value in enumerate(view.arguments)}
    places |= {mine: places[handed] for mine, handed in zip(view.inner, view.handed, strict=True) if handed in places}
    goes_on = {number: places.get(view.yields[number]) for number in range(len(view.arguments))}
    found = [(one, other) for one, other in goes_on.items() if other is not None and one < other]
    memory = [(one, other) for one, other in found if goes_on[other] == one and is_memory(view.arguments[one])]
    return [pair for pair in memory if all(_is_handed_on(view, view.inits[number]) for number in pair)]


def _is_handed_on(view: LoopView, memory: SSAValue) -> bool:
    """Whether memory is not reached by its own name in a loop or after it, but to be freed."""
    for use in memory.uses:
        op = use.operation
        while op is not view.op and op.parent is not view.op.parent:
            outer = op.parent_op()
            if outer is None:
                return False
            op = outer
        is_freed = use.operation.name == "memref.dealloc"
        if not (use.operation is view.op or is_freed or (op is not view.op and op.is_before_in_block(view.op))):
            return False
    return True


def exchange(ex: Execution, one: Array, other: Array) -> None:
    """Exchange all elements of two arrays at the end of an iteration."""
    place = ex.place
    loops: tuple[LoopRange, ...] = ()
    cell: tuple[Polynomial, ...] = ()
    for extent in one.extents:
        assert extent is not None
        more, position = nested_loops(factors_of(extent, [], ex.products) or [extent], "z", ex)
        loops, cell = (*loops, *more), (*cell, position)
    for over in loops:
        ex.sink.begin_loop(over, "z", place, None)
    with ex.inside(loops=loops):
        held = [ex.sink.load(array, cell, ex.domain, place) for array in (one, other)]
        for array, data in zip((other, one), held, strict=True):
            ex.sink.store(array, cell, data, ex.domain, place)
    for over in reversed(loops):
        ex.sink.end_loop(over)


def can_exchange(one: object, other: object) -> bool:
    """Whether two values are arrays of one shape, which are the function's own."""
    if not isinstance(one, Array) or not isinstance(other, Array):
        return False
    is_own = not one.is_parameter and not other.is_parameter and None not in one.extents
    return is_own and one.element == other.element and one.extents == other.extents
