"""Integers of literal IR that their type may not hold: positions, and data that signed arithmetic makes.

A source may leave overflow that is undefined to its caller; a program that is to do what the source does may not.
Positions are made of sizes, of counters of loops, and of constants beside these, alone.  All else is data, which
arithmetic without a sign may wrap.  What is computed in 64 bits holds any position.

A function in which bits of positions may be lost can be read as one whose narrow integers all wrap (`wrapping_below`).
"""

from __future__ import annotations

from enum import Flag, auto
from fractions import Fraction
from typing import TYPE_CHECKING

from xdsl.dialects.arith import CmpiOp, IntegerOverflowAttr
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.dialects.cf import ConditionalBranchOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from tensorlift.comprehension.ranges import Range, combined
from tensorlift.ir.arithmetic import constant_of, never_wraps, width_of
from tensorlift.ir.function import ROW
from tensorlift.ir.literal_function import argument_names
from tensorlift.ir.location import CONDITION, location_of, name_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp


_WIDE = 64
_CASTS = {"arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast"}
_COMBINED = {"arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul"}
_ARITHMETIC = {*_COMBINED, "arith.shli", "arith.divsi", "arith.remsi"}
_INDICES = {"memref.load": 1, "memref.store": 2}  # where the subscripts begin


class _Kind(Flag):
    """What a value is made of; what is made of constants alone is of no kind."""

    POSITION = auto()
    DATA = auto()
    OFFSET = auto()  # of a pointer: the reader's own arithmetic
    CUT = auto()  # a position that may have lost bits


_NOTHING = _Kind(0)


class Integers:
    """The ranges and kinds of the integers of a function, some of whose parameters are sizes."""

    def __init__(self, function: FuncOp, sizes: Collection[str]) -> None:
        self._function = function
        self._ops = list(function.walk())
        self._kinds: dict[SSAValue, _Kind] = {}
        self._ranges: dict[SSAValue, Range] = {}
        self._headers: dict[Block, set[SSAValue]] = {}  # of loops, with their counters
        self._asked: set[Block] = set()  # headers of loops that ask a truth value which is handed on
        self._handed: dict[BlockArgument, list[SSAValue]] = {}
        self._narrow_sizes = list(self._arguments(sizes))
        self._edges()
        while self._settle():
            pass

    def lost_position(self, *, wraps: bool = False) -> int | None:
        """Return the first line on which bits of sizes or positions may be lost; None where none are.

        Where all that is narrow is known to wrap, sizes and counters of loops count, and what must not overflow.
        """
        losing = (op for op in self._ops if self._loses(op) and (never_wraps(op) or not wraps))
        owners: list[Operation | BlockArgument] = [*self._narrow_sizes, *losing]
        for block, counters in self._headers.items():
            if block not in self._asked and (
                not counters or any(width_of(counter.type) < _WIDE for counter in counters)
            ):
                assert block.last_op is not None
                owners.append(block.last_op)
        return _first_line(owners)

    def overflow(self, widths: frozenset[int]) -> int | None:
        """Return the first line of signed arithmetic on data that may leave its type; None where none does.

        It counts at ``widths``, those of what is computed, or of what it is computed from before C makes that an
        ``int``.
        """
        return _first_line([op for op in self._ops if never_wraps(op) and self._overflows(op, widths)])

    # What the function makes its integers of.

    def _arguments(self, sizes: Collection[str]) -> Iterator[BlockArgument]:
        """Note the kinds of the parameters; yield the sizes that are narrow."""
        previous: Attribute | None = None
        names = argument_names(self._function)
        for name, argument in zip(names, self._function.body.blocks[0].args, strict=True):
            self._kinds[argument] = _Kind.POSITION if name in sizes else _Kind.DATA
            if isinstance(previous, MemRefType) or name.endswith(ROW):
                self._kinds[argument] = _Kind.OFFSET
            elif name in sizes and width_of(argument.type) < _WIDE:
                yield argument
            previous = argument.type

    def _edges(self) -> None:
        """Note what blocks are handed, which of them are headers of loops, and what counts there."""
        number = {block: place for place, block in enumerate(self._function.body.blocks)}
        for block, position in number.items():
            last = block.last_op
            assert last is not None
            arguments = [argument for target in last.successors for argument in target.args]
            for argument, value in zip(arguments, last.operands[len(last.operands) - len(arguments) :], strict=True):
                self._handed.setdefault(argument, []).append(value)
            self._headers |= {target: set() for target in last.successors if number[target] <= position}
        for op in self._ops:
            for value in map(_uncast, _tested(op)):
                if isinstance(value, BlockArgument) and value.block in self._headers:
                    if all(map(_is_truth, self._handed[value])):
                        self._asked.add(value.block)
                    else:
                        self._headers[value.block].add(value)
        for handed, values in self._handed.items():
            counts = handed in self._headers.get(handed.block, ())
            adds_up = handed.block in self._headers and any(constant_of(_uncast(value)) is not None for value in values)
            self._kinds[handed] = _Kind.POSITION if counts else _Kind.DATA if adds_up else _NOTHING

    def _settle(self) -> bool:
        """Compute the kinds and ranges of all values once more; tell whether kinds changed."""
        before = dict(self._kinds)
        for block in self._function.body.blocks:
            for argument in block.args:
                if argument not in self._headers.get(block, ()):
                    self._kinds[argument] |= self._of(self._handed.get(argument, ()))
                ranges = [self._range(value) for value in self._handed.get(argument, ()) if block not in self._headers]
                if ranges:
                    self._ranges[argument] = min(low for low, _ in ranges), max(high for _, high in ranges)
            for op in block.ops:
                self._operation(op)
        return self._kinds != before

    def _operation(self, op: Operation) -> None:
        """Compute the kind and the range of what an operation gives."""
        for result in op.results:
            is_made = bool(op.operands) and op.name != "func.call" and all(map(_is_integer, op.operands))
            self._kinds[result] = self._of(op.operands) if is_made or constant_of(result) is not None else _Kind.DATA
            if not _is_integer(result):
                continue
            fits = self._fits(op)
            if op.name == "arith.trunci" and not fits and self._kinds[result] & _Kind.POSITION:
                self._kinds[result] |= _Kind.CUT
            self._ranges[result] = self._exact(op) if fits else _whole(result)

    def _of(self, values: Collection[SSAValue]) -> _Kind:
        """Give the kinds of some values together."""
        found = _NOTHING
        for value in values:
            found |= self._kinds.get(value, _NOTHING)
        return found

    def _range(self, value: SSAValue) -> Range:
        return self._ranges.get(value) or _whole(value)

    def _exact(self, op: Operation) -> Range:
        """Return the least and the greatest number that an operation gives, before it is cut to its type."""
        whole, constant = _whole(op.results[0]), constant_of(op.results[0])
        if constant is not None:
            return int(constant), int(constant)
        ranges = [self._range(value) for value in op.operands if _is_integer(value)]
        match op.name:
            case "arith.addi" | "arith.subi" | "arith.muli":
                return combined(_COMBINED[op.name], *ranges)
            case "arith.extui" if ranges[0][0] < 0:
                return 0, (1 << width_of(op.operands[0].type)) - 1
            case "arith.extui" | "arith.extsi" | "arith.trunci" | "arith.index_cast":
                return ranges[0]
            case "arith.divsi" | "arith.remsi":
                low, high = ranges[1]
                if low == high > 0:
                    quotients = [int(Fraction(end, high)) for end in ranges[0]]  # rounded towards zero, as in C
                    return (quotients[0], quotients[1]) if op.name == "arith.divsi" else (1 - high, high - 1)
        return (whole[0] - 1, whole[1]) if op.name in _ARITHMETIC else whole  # not known to fit

    # What may be lost.

    def _fits(self, op: Operation) -> bool:
        (low, high), (least, most) = self._exact(op), _whole(op.results[0])
        return least <= low and high <= most

    def _loses(self, op: Operation) -> bool:
        """Tell whether an operation may lose bits of a position, or uses one that may have."""
        if op.name in _ARITHMETIC:
            is_position = self._kinds[op.results[0]] & (_Kind.POSITION | _Kind.DATA) == _Kind.POSITION
            has_sign = op.name not in _COMBINED or never_wraps(op)
            is_held = self._fits(op) and (has_sign or self._exact(op)[0] >= 0)
            return is_position and width_of(op.results[0].type) < _WIDE and not is_held
        places = op.operands[_INDICES[op.name] :] if op.name in _INDICES else _tested(op)
        return bool(self._of(places) & _Kind.CUT)

    def _overflows(self, op: Operation, widths: frozenset[int]) -> bool:
        """Tell whether an operation on data may leave its type, where widths matter."""
        found = {width_of(op.results[0].type), max(width_of(_uncast(value).type) for value in op.operands)}
        is_data = self._kinds[op.results[0]] & (_Kind.DATA | _Kind.OFFSET) == _Kind.DATA
        return is_data and not widths.isdisjoint(found) and not self._fits(op)


def wrapping_below(module: ModuleOp, width: int) -> ModuleOp:
    """Return a module in which integers of less than some bits wrap, whatever their language says of overflow."""
    found = module.clone()
    for op in found.walk():
        if never_wraps(op) and width_of(op.results[0].type) < width:
            op.properties["overflowFlags"] = IntegerOverflowAttr("none")
    return found


def _first_line(owners: Collection[Operation | BlockArgument]) -> int | None:
    places = [location_of(owner) for owner in owners]
    return min((place.line for place in places if place is not None), default=1 if places else None)


def _is_integer(value: SSAValue) -> bool:
    return isinstance(value.type, IntegerType | IndexType)


def _whole(value: SSAValue) -> Range:
    """Return the least and the greatest number that a type holds."""
    half = 1 << (width_of(value.type) - 1)
    return -half, half - 1


def _uncast(value: SSAValue) -> SSAValue:
    """Return what conversions between integers convert."""
    while isinstance(value.owner, Operation) and value.owner.name in _CASTS:
        value = value.owner.operands[0]
    return value


def _is_truth(value: SSAValue) -> bool:
    """Tell whether a value is a truth value, or made of one."""
    return constant_of(_uncast(value)) in {0, 1} or width_of(_uncast(value).type) == 1


def _tested(op: Operation) -> Sequence[SSAValue]:
    """Return what the condition of a loop compares, where an operation branches on that."""
    if not isinstance(op, ConditionalBranchOp) or name_of(op) != CONDITION:
        return ()
    return op.cond.owner.operands if isinstance(op.cond.owner, CmpiOp) else ()
