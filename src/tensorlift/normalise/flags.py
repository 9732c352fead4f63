"""The cases of a function that flags steer: arguments of which all that is asked is whether they are some constants.

``if (order == ROW_MAJOR && trans == TRANSPOSED)``: for each of the constants, and for all other integers together, the
function is another one.  A case in which it always ends with an error is none.
"""

from __future__ import annotations

from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import CmpiOp, ConstantOp, ExtSIOp, SubiOp
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, StringAttr
from xdsl.dialects.cf import AssertOp, BranchOp, ConditionalBranchOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp

from tensorlift.ir.arithmetic import (
    COMPARED,
    MIRRORED,
    ArithmeticFault,
    constant_of,
    evaluator,
    predicate_number,
    predicate_of,
    wrapper,
)
from tensorlift.ir.literal_function import Flag, argument_names, callee_of
from tensorlift.normalise.edit import insert, last_of
from tensorlift.normalise.jumps import decide, remove_unreached

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from xdsl.ir import Block, BlockArgument, Operation, SSAValue

MOST_CASES = 64
_MOST_OPERATIONS = 80_000  # of all cases together, each with all of the function and what it calls
_MOST_NUMBERS = 16  # that a value is known to be one of

Numbers = frozenset[int] | None  # those that a value is one of; None for any
_FALSE: Numbers = frozenset({0})


def cases_of(function: FuncOp) -> list[dict[str, Flag]]:
    """List the cases of a function by the names of its flags; none where it is one, or there are too many."""
    names = dict(zip(function.body.blocks[0].args, argument_names(function), strict=True))
    found: list[dict[str, Flag]] = []
    blocks = {*function.body.blocks}
    if all(compared_with(*use) is None for argument in names for use in _uses(argument, blocks)):
        return []  # at a glance
    for case in _cases(function, {}):
        if len(found) == MOST_CASES or not case:
            return []
        found.append({names[argument]: flag for argument, flag in case.items()})
    is_short = len(found) * sum(1 for _ in (function.parent_op() or function).walk()) <= _MOST_OPERATIONS
    return found if len(found) > 1 and is_short else []


def _cases(function: FuncOp, known: dict[BlockArgument, Flag]) -> Iterator[dict[BlockArgument, Flag]]:
    """Yield the cases in which some flags are known: one, or those of the first flag that is not."""
    reached = _Reached(function, {argument: flag.number for argument, flag in known.items()})
    if not reached.returns:
        return
    for argument in function.body.blocks[0].args:
        asked = None if argument in known else constants_asked(argument, reached.blocks)
        if asked:
            for flag in _values(argument, asked, dict.fromkeys(_bounds(argument, reached.blocks))):
                yield from _cases(function, {**known, argument: flag})
            return
    yield known


def constants_asked(value: SSAValue, blocks: Collection[Block]) -> frozenset[int] | None:
    """List the constants that a value may be asked to be in some blocks; None where something else is done with it."""
    found = set[int]()
    for one, op in _uses(value, blocks):
        number = compared_with(one, op)
        if number is None and _bound(one, op) is None:
            return None
        found |= set() if number is None else {number}
    return frozenset(found)


def _uses(value: SSAValue, blocks: Collection[Block]) -> Iterator[tuple[SSAValue, Operation]]:
    """Yield what uses a value in some blocks, wherever branches and calls pass it, in any width, with what it uses."""
    passed, region = [value], next(iter(blocks)).parent
    for one in passed:  # which grows
        for op, index in [(use.operation, use.index) for use in one.uses]:
            if op.parent not in blocks and (op.parent is None or op.parent.parent is region):
                continue
            called = _called(op)
            if called is not None:
                there: SSAValue = called.body.blocks[0].args[index]
            elif isinstance(op, BranchOp | ExtSIOp):
                there = op.successor.args[index] if isinstance(op, BranchOp) else op.result
            else:
                yield one, op
                continue
            passed += [] if there in passed else [there]


def _called(op: Operation) -> FuncOp | None:
    """Give the function of the same module that an operation calls."""
    if not isinstance(op, CallOp):
        return None
    callee, module = callee_of(op), op.parent_op()
    while not isinstance(module, ModuleOp | None):
        module = module.parent_op()
    found = (one for one in (module.ops if module else ()) if isinstance(one, FuncOp) and one.sym_name.data == callee)
    return next((one for one in found if one.body.blocks), None)


def compared_with(value: SSAValue, op: Operation) -> int | None:
    """Return the constant that an operation asks a value to be, or not to be."""
    if not isinstance(op, CmpiOp) or predicate_of(op)[0] not in {"==", "!="}:
        return None
    return _number(op.rhs if value is op.lhs else op.lhs)


def _number(value: SSAValue) -> int | None:
    """Return the constant that a value is: negative ones are ``0 - 1``."""
    owner = value.owner
    if not isinstance(owner, SubiOp | ExtSIOp):
        number = constant_of(value)
        return None if number is None else int(number)
    evaluate, operands = evaluator(owner), [_number(operand) for operand in owner.operands]
    return None if evaluate is None or None in operands else int(evaluate(*operands))


def _values(argument: BlockArgument, asked: Iterable[int], bounds: Iterable[tuple[str, int]]) -> Iterator[Flag]:
    """Yield the constants that a flag is asked to be and may be, and all others together."""
    wrap, bounds = wrapper(argument.type), tuple(bounds)
    constants = frozenset(number for number in asked if wrap(number) == number)
    yield from map(Flag, sorted(constants))
    near = (end + apart for _, end in bounds for apart in (-1, 0, 1))
    others = (number for number in (*range(len(constants) + 1), *near) if number not in constants)
    possible = (n for n in others if wrap(n) == n and all(COMPARED[relation](n, end) for relation, end in bounds))
    yield from (Flag(other, constants, bounds) for other in islice(possible, 1))


def _bounds(value: SSAValue, blocks: Collection[Block]) -> Iterator[tuple[str, int]]:
    """Yield the bounds within which a value is, or the program ends."""
    for one, op in _uses(value, blocks):
        if (bound := _bound(one, op)) is not None:
            yield bound


def _bound(value: SSAValue, op: Operation) -> tuple[str, int] | None:
    """Return the bound that an operation asks a value to be within, where the program ends if it is not."""
    number = _number(op.rhs) if isinstance(op, CmpiOp) and value is op.lhs else None
    if number is None or not all(isinstance(use.operation, AssertOp) for use in op.results[0].uses):
        return None
    relation, signed = predicate_of(op)
    return (relation, number) if signed and relation in MIRRORED else None


def held(argument: BlockArgument, number: int) -> int | None:
    """Give the integer, with a sign, that an argument holds for a number with or without; None where it cannot."""
    least, most = argument.type.value_range() if isinstance(argument.type, IntegerType) else (0, 0)
    return wrapper(argument.type)(number) if least <= number < most else None


def assert_flags(function: FuncOp, known: Mapping[BlockArgument, int]) -> None:
    """Let a function begin with the assertions that its flags are some numbers."""
    entry = function.body.blocks[0]
    for argument, flag in known.items():
        its_type: Any = argument.type
        number = ConstantOp(IntegerAttr(flag, its_type))
        test = CmpiOp(argument, number.result, predicate_number("==", signed=True))
        insert([number, test, AssertOp(test.result, StringAttr("a case"))], entry.first_op or last_of(entry))


def leave_out(function: FuncOp, known: Mapping[BlockArgument, int]) -> None:
    """Leave out of a function what control does not reach where flags are some numbers."""
    reached = _Reached(function, known)
    for branch in [block.last_op for block in reached.blocks]:
        holds = reached.asked(branch) if isinstance(branch, ConditionalBranchOp) else None
        if isinstance(branch, ConditionalBranchOp) and holds is not None:
            decide(branch, holds=holds)
    remove_unreached(function)


class _Reached:
    """What control reaches where some arguments are known, and which integers values are there."""

    def __init__(self, function: FuncOp, known: Mapping[BlockArgument, int]) -> None:
        """Go on from the entry as long as something new is found."""
        entry = function.body.blocks[0]
        self.blocks, self.returns = {entry}, False
        self._numbers: dict[SSAValue, Numbers] = dict.fromkeys(entry.args)
        self._numbers |= {argument: frozenset({number}) for argument, number in known.items()}
        self._work = dict.fromkeys([entry])
        while self._work:
            self._through(self._work.popitem()[0])

    def _through(self, block: Block) -> None:
        """Go through a block, and on from there."""
        for op in block.ops:
            if isinstance(op, AssertOp) and self._of(op.arg) == _FALSE:
                return
            for result in op.results:
                self._learn(result, self._computed(op))
        last = last_of(block)
        self.returns |= isinstance(last, ReturnOp)
        for target, passed in self._ways(last):
            for argument, value in zip(target.args, passed, strict=True):
                self._learn(argument, _joined(self._of(argument), self._of(value)))
            if target not in self.blocks:
                self.blocks.add(target)
                self._work[target] = None

    def asked(self, branch: ConditionalBranchOp) -> bool | None:
        """Tell which side of a branch that is reached is taken, if that is known."""
        holds = self._of(branch.cond)
        return None if not holds or len(holds) > 1 else holds != _FALSE

    def _of(self, value: SSAValue) -> Numbers:
        return self._numbers.get(value, frozenset())

    def _learn(self, value: SSAValue, numbers: Numbers) -> None:
        """Let a value be one of some numbers; what uses it is looked at again."""
        if numbers != self._of(value):
            self._numbers[value] = numbers
            used = (use.operation.parent for use in value.uses)
            self._work |= dict.fromkeys(block for block in used if block in self.blocks)

    def _ways(self, branch: Operation) -> Iterator[tuple[Block, tuple[SSAValue, ...]]]:
        """Yield the blocks that a branch may lead to, with what it passes."""
        if isinstance(branch, BranchOp):
            yield branch.successor, tuple(branch.operands)
        elif isinstance(branch, ConditionalBranchOp):
            holds = self._of(branch.cond)
            if holds != _FALSE:
                yield branch.then_block, tuple(branch.then_arguments)
            if holds is None or 0 in holds:
                yield branch.else_block, tuple(branch.else_arguments)

    def _computed(self, op: Operation) -> Numbers:
        """Return the integers that an operation may compute."""
        number = constant_of(op.results[0])
        if number is not None:
            return frozenset({number}) if isinstance(number, int) else None
        evaluate = evaluator(op)
        known = [numbers for value in op.operands if (numbers := self._of(value)) is not None]
        if evaluate is None or len(known) < len(op.operands) or prod(map(len, known)) > _MOST_NUMBERS:
            return None
        try:
            return frozenset(evaluate(*operands) for operands in product(*known))
        except ArithmeticFault:
            return None


def _joined(one: Numbers, other: Numbers) -> Numbers:
    both = None if one is None or other is None else one | other
    return None if both is None or len(both) > _MOST_NUMBERS else both
