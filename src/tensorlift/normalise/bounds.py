"""What Python does outside of an array: it is asked of arguments that nothing lies there.

An index below zero counts from the end, bounds of slices are cut off, and what remains outside raises an exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import AddiOp, CmpiOp, MuliOp, SelectOp
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import IfOp, WhileOp
from xdsl.ir import Block, Operation, SSAValue

from tensorlift.ir.arithmetic import constant_of, never_wraps, predicate_of
from tensorlift.ir.function import SIZE
from tensorlift.ir.literal_function import NEGATIVE, OF_PART, RISES, argument_names
from tensorlift.normalise.cases import decided, sign
from tensorlift.normalise.edit import remove
from tensorlift.normalise.steering import made_of
from tensorlift.normalise.values import Array, Data
from tensorlift.poly.index_arithmetic import Index
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.normalise.execution import Execution

_UNTOLD = "%extent "
_MOVES = {"arith.addi", "arith.subi", "arith.muli", "arith.index_cast"}


@dataclass(frozen=True)
class Exceptions:
    """The pass that removes assertions of what excludes exceptions, and the comparisons that are made for them alone.

    The accesses ask of arguments what they say of indices, and the front end which extents must be equal.  What the
    source states itself stays: its keyword stands in backticks; so does that an index is inside of a part of an array,
    that an extent is not negative, and that a range goes up.
    """

    name = "exceptions"

    def apply(self, module: ModuleOp) -> None:
        """Remove them."""
        for check in [op for op in module.walk() if isinstance(op, AssertOp) and not _stays(op.msg.data)]:
            condition = check.operands[0].owner
            remove(check)
            if isinstance(condition, Operation) and not any(result.uses for result in condition.results):
                remove(condition)


def _stays(message: str) -> bool:
    return "`" in message or message in {NEGATIVE, OF_PART, RISES}


@dataclass(frozen=True)
class NeverNegative:
    """The pass that does not ask indices whether they count from the end that certainly do not; control is structured.

    Those are sizes of arrays, numbers that are not negative, their sums and products, and what loops make of them.
    """

    name = "never-negative"

    def apply(self, module: ModuleOp) -> None:
        """Take the indices as they are."""
        for function in [op for op in module.ops if isinstance(op, FuncOp)]:
            sizes = _sizes(function)
            for op in [op for op in function.walk() if isinstance(op, SelectOp)]:
                if _asks_for_the_end(op) and _is_never_negative(op.rhs, sizes):
                    op.results[0].replace_all_uses_with(op.rhs)
                    remove(op)


def _sizes(function: FuncOp) -> set[SSAValue]:
    """Give the arguments that are extents of arrays."""
    arguments = zip(argument_names(function), function.body.blocks[0].args, strict=True)
    return {argument for name, argument in arguments if name.endswith(SIZE)}


def _asks_for_the_end(op: SelectOp) -> bool:
    """Whether an index is chosen that counts from the end where it is below zero."""
    test, moved = op.cond.owner, op.lhs.owner
    if not isinstance(test, CmpiOp) or predicate_of(test) != ("<", True) or test.lhs is not op.rhs:
        return False
    return isinstance(moved, AddiOp) and moved.lhs is op.rhs and constant_of(test.rhs) == 0


def _is_never_negative(value: SSAValue, sizes: set[SSAValue]) -> bool:
    """Whether an integer is certainly not negative, where those are not that it is made of in earlier iterations."""
    work, seen = [value], {value}
    while work:
        made = work.pop()
        number = constant_of(made)
        if made in sizes or (number is not None and number >= 0):
            continue
        is_kept = isinstance(made.owner, Block | IfOp | WhileOp)
        parts = made_of(made)
        if not parts or not (is_kept or (isinstance(made.owner, AddiOp | MuliOp) and never_wraps(made.owner))):
            return False
        work += [part for part in parts if part not in seen]
        seen.update(parts)
    return True


def extent_name(array: Array, axis: int) -> str:
    """Name the variable that stands for an extent of an array that nothing tells."""
    return f"{_UNTOLD}{axis} {array.name}"


def untold_extent(polynomial: Polynomial) -> str | None:
    """Name the array whose extent a polynomial is made of, where nothing tells that."""
    found = (name for name in sorted(polynomial.variables()) if name.startswith(_UNTOLD))
    return next((name.rpartition(" ")[2] for name in found), None)


def from_the_end(ex: Execution, op: Operation) -> Any:
    """Give an index that counts from the end where it is below zero: it is asked for not to be; None for others."""
    if not ex.language.cuts_off:
        return None
    if not isinstance(op, SelectOp) or not _asks_for_the_end(op) or op.results[0] not in ex.steering.values:
        return None
    then, index = op.lhs, op.rhs
    found = ex.values[index]
    if isinstance(found, Data) or is_of_data(ex, found):
        return ex.as_index(index) if _is_place(op.results[0]) else None
    if not isinstance(found, Index):
        return None
    is_inside = _asked(ex, found.polynomial)
    moved = ex.values[then]
    is_untold = isinstance(moved, Index) and untold_extent(moved.polynomial) is not None
    if is_inside is None or (not is_inside and is_untold):
        raise refusal("negative", ex.place, f"`{found.polynomial}`")
    return found if is_inside else moved


def is_of_data(ex: Execution, value: object) -> bool:
    """Whether an integer is a place that depends on data."""
    return isinstance(value, Index) and not ex.sink.data_places.keys().isdisjoint(value.polynomial.variables())


def has_multiple(ex: Execution, value: object) -> bool:
    """Tell whether a place that depends on data, and does not wrap, is a sum with multiples, as rows have them."""
    if not isinstance(value, Index) or value.needs or not is_of_data(ex, value):
        return False
    return any(len(names) > 1 or (names and abs(factor) > 1) for names, factor in value.polynomial.terms.items())


def cut_off(ex: Execution, op: Operation) -> Index | None:
    """Give an integer that is cut off at a bound where it is beyond: it is asked for not to be."""
    own, bound = (ex.index(operand) for operand in op.operands)
    if not ex.language.cuts_off or own is None or bound is None:
        return None
    room = bound.polynomial - own.polynomial
    is_inside = _asked(ex, room if op.name == "arith.minsi" else -room)
    return None if is_inside is None else own if is_inside else bound


def _asked(ex: Execution, polynomial: Polynomial) -> bool | None:
    """Ask for a polynomial not to be negative; tell whether it is not, and nothing where that cannot be asked for."""
    known = sign(ex, polynomial)
    if known is None:
        least = ex.ranges.minimum(polynomial, ex.domain)
        if least is None or ex.ranges.is_nonnegative(-least - ONE):
            return None
        ex.preconditions.insist("extent", least, ex.place)
    return known is not False


def ask_for_part(ex: Execution, comparison: Operation) -> None:
    """Ask for an index to be inside of a part of an array; what depends on data might be inside of the array alone."""
    index, extent = (decided(ex, ex.values[operand]) for operand in comparison.operands)
    if not isinstance(index, Index) or not isinstance(extent, Index) or is_of_data(ex, index):
        raise refusal("subscript-data", ex.place, "data, in a part of an array")
    for room in (index.polynomial, extent.polynomial - index.polynomial - ONE):
        if not _asked(ex, room):
            raise refusal("outside", ex.place, f"{index.polynomial} is outside of a part of an array")


def ask_for_extent(ex: Execution, comparison: Operation) -> None:
    """Ask for an extent not to be negative."""
    extent = decided(ex, ex.values[comparison.operands[0]])
    if not isinstance(extent, Index) or is_of_data(ex, extent) or not _asked(ex, extent.polynomial):
        raise refusal("extent", ex.place, "an array")


def _is_place(value: SSAValue) -> bool:
    """Whether a value is used for places in memory alone."""
    return all(
        use.operation.name.startswith("memref.")
        or (use.operation.name in _MOVES and _is_place(use.operation.results[0]))
        for use in value.uses
    )
