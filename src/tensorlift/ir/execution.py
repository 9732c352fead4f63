"""Compiles the operations of a function to Python closures over a flat frame of values.

Each value gets a slot of the frame.  A *step* is a closure ``frame -> None`` that runs one operation; a block is the
list of its steps and gives the values that its terminator yields.  One table maps an operation's name to the function
that compiles it; scalar operations come from the table in ``arithmetic``.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, IntegerAttr, MemRefType
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from tensorlift.ir.arithmetic import ArithmeticFault, constant, evaluator
from tensorlift.ir.linear import divide
from tensorlift.ir.location import location_of
from tensorlift.ir.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

    from tensorlift.diagnostics import Location
    from tensorlift.ir.arithmetic import Evaluator

    Frame = list[Any]
    Step = Callable[[Frame], None]
    Index = Callable[[Frame], int]
    Body = Callable[[Frame], Sequence[Any]]


class InterpreterError(Exception):
    """Raised where a loop program goes wrong: out of bounds, undefined memory, undefined arithmetic."""

    def __init__(self, message: str, location: Location | None) -> None:
        """Name the fault and the place of the operation that made it."""
        super().__init__(f"{location}: {message}" if location else message)
        self.location = location


class UndefinedError(InterpreterError):
    """Raised where C gives an input no meaning: undefined arithmetic, or a read of memory that was never written."""


class TooLongError(Exception):
    """Raised where a run would take more iterations than it may."""


@dataclass(slots=True)
class Budget:
    """How many iterations a run has left, of all loops together; they are spent where a loop begins."""

    left: int

    def spend(self, trip: range) -> range:
        """Take the iterations of a loop; raise TooLongError where there are not as many left."""
        self.left -= len(trip)
        if self.left < 0:
            raise TooLongError
        return trip


class Compiler:
    """Compiles one function; holds which slot of the frame belongs to which value, and what a run may take."""

    def __init__(self, budget: Budget, evaluate: Callable[[Operation], Evaluator | None] = evaluator) -> None:
        self.budget, self._evaluate = budget, evaluate
        self._slots: dict[SSAValue, int] = {}
        self.constants: dict[int, Any] = {}

    def frame(self) -> Frame:
        """Give a frame for all blocks compiled so far, in which only the constants have values."""
        return [self.constants.get(slot) for slot in range(len(self._slots))]

    def slot(self, value: SSAValue) -> int:
        """Give the place of a value in the frame."""
        return self._slots.setdefault(value, len(self._slots))

    def slots(self, values: Iterable[SSAValue]) -> list[int]:
        """Give the places of several values."""
        return [self.slot(value) for value in values]

    def block(self, block: Block) -> Body:
        """Compile a block to a closure that runs it and gives the operands of its terminator."""
        *steps, terminator = block.ops
        if terminator.name not in _TERMINATORS:
            steps, yielded = [*steps, terminator], []
        else:
            yielded = self.slots(terminator.operands)
        compiled = [step for op in steps if (step := self.step(op)) is not None]

        def run(frame: Frame) -> Sequence[Any]:
            for step in compiled:
                step(frame)
            return ()

        def run_and_yield(frame: Frame) -> Sequence[Any]:
            run(frame)
            return [frame[slot] for slot in yielded]

        return run_and_yield if yielded else run

    def region(self, region: Region) -> Body:
        """Compile the only block of a region; an absent one does nothing."""
        return self.block(region.block) if region.blocks and region.block.ops else _nothing

    def step(self, op: Operation) -> Step | None:
        """Compile one operation; a constant takes no step."""
        compile_op = _COMPILERS.get(op.name)
        if compile_op is not None:
            return compile_op(self, op)
        evaluate = self._evaluate(op)
        if evaluate is None:
            raise InterpreterError(f"{op.name} is not part of the loop IR", location_of(op))
        return self.scalar(op, evaluate)

    def scalar(self, op: Operation, evaluate: Callable[..., Any]) -> Step:
        """Compile an operation on scalars; the cases of one and two operands are only faster."""
        target, sources = self.slot(op.results[0]), self.slots(op.operands)
        located = _Located(op)

        def binary(frame: Frame) -> None:
            try:
                frame[target] = evaluate(frame[left], frame[right])
            except ArithmeticFault as fault:
                raise located.undefined(str(fault)) from None

        def general(frame: Frame) -> None:
            try:
                frame[target] = evaluate(*[frame[source] for source in sources])
            except ArithmeticFault as fault:
                raise located.undefined(str(fault)) from None

        if len(sources) == len(("left", "right")):
            left, right = sources
            return binary
        return general

    def index(self, expression: AffineExpr, dims: Sequence[int], symbols: Sequence[int]) -> Index:
        """Compile an affine expression over the slots of its operands."""
        if isinstance(expression, AffineConstantExpr):
            value = expression.value
            return lambda _frame: value
        if isinstance(expression, AffineDimExpr | AffineSymExpr):
            return itemgetter((dims if isinstance(expression, AffineDimExpr) else symbols)[expression.position])
        assert isinstance(expression, AffineBinaryOpExpr)
        left = self.index(expression.lhs, dims, symbols)
        right = self.index(expression.rhs, dims, symbols)
        return _combined(expression.kind, left, right)

    def indices(self, of_map: Attribute, operands: Sequence[SSAValue]) -> list[Index]:
        """Compile the results of an affine map."""
        assert isinstance(of_map, AffineMapAttr)
        slots, num_dims = self.slots(operands), of_map.data.num_dims
        return [self.index(result, slots[:num_dims], slots[num_dims:]) for result in of_map.data.results]


_TERMINATORS = frozenset({"func.return", "affine.yield", "scf.yield", "scf.condition"})


class _Located:
    """Makes errors at the place of an operation, found only when one is made."""

    def __init__(self, op: Operation) -> None:
        self.op = op

    def error(self, message: str) -> InterpreterError:
        return InterpreterError(message, location_of(self.op))

    def undefined(self, message: str) -> UndefinedError:
        return UndefinedError(message, location_of(self.op))


def _nothing(_frame: Frame) -> Sequence[Any]:
    return ()


def _combined(kind: AffineBinaryOpKind, left: Index, right: Index) -> Index:
    if kind is AffineBinaryOpKind.Add:
        return lambda frame: left(frame) + right(frame)
    if kind is AffineBinaryOpKind.Mul:
        return lambda frame: left(frame) * right(frame)
    return lambda frame: divide(kind, left(frame), right(frame))


def _element(located: _Located, memory: int, indices: Sequence[Index]) -> Callable[[Frame], tuple[list[Any], int]]:
    """Give the cells of a memory and the checked position of one element in them; ranks up to 2 are only faster."""
    first, second = [*indices, *_NO_INDICES][:2]

    def outside(frame: Frame) -> InterpreterError:
        place, extents = [index(frame) for index in indices], list(frame[memory].extents)
        fault = located.undefined if located.op.name.startswith("memref.") else located.error  # data may say the place
        return fault(f"the access {place} is outside of the extents {extents}")

    def alone(frame: Frame) -> tuple[list[Any], int]:
        return frame[memory].cells, 0

    def in_vector(frame: Frame) -> tuple[list[Any], int]:
        target: Memory = frame[memory]
        at = first(frame)
        if not 0 <= at < target.extents[0]:
            raise outside(frame)
        return target.cells, at

    def in_matrix(frame: Frame) -> tuple[list[Any], int]:
        target: Memory = frame[memory]
        row, column = first(frame), second(frame)
        rows, columns = target.extents
        if not (0 <= row < rows and 0 <= column < columns):
            raise outside(frame)
        return target.cells, row * columns + column

    def find(frame: Frame) -> tuple[list[Any], int]:
        target: Memory = frame[memory]
        position = 0
        for index, extent in zip(indices, target.extents, strict=True):
            at = index(frame)
            if not 0 <= at < extent:
                raise outside(frame)
            position = position * extent + at
        return target.cells, position

    return {0: alone, 1: in_vector, 2: in_matrix}.get(len(indices), find)


def _load(compiler: Compiler, op: Operation, indices: Sequence[Index]) -> Step:
    located, target = _Located(op), compiler.slot(op.results[0])
    find = _element(located, compiler.slot(op.operands[0]), indices)

    def load(frame: Frame) -> None:
        cells, position = find(frame)
        value = cells[position]
        if value is None:
            raise located.undefined("undefined memory is read")
        frame[target] = value

    return load


def _store(compiler: Compiler, op: Operation, indices: Sequence[Index]) -> Step:
    source = compiler.slot(op.operands[0])
    find = _element(_Located(op), compiler.slot(op.operands[1]), indices)

    def store(frame: Frame) -> None:
        cells, position = find(frame)
        cells[position] = frame[source]

    return store


def _affine_load(compiler: Compiler, op: Operation) -> Step:
    return _load(compiler, op, compiler.indices(op.properties["map"], op.operands[1:]))


def _affine_store(compiler: Compiler, op: Operation) -> Step:
    return _store(compiler, op, compiler.indices(op.properties["map"], op.operands[2:]))


def _memref_load(compiler: Compiler, op: Operation) -> Step:
    return _load(compiler, op, [itemgetter(slot) for slot in compiler.slots(op.operands[1:])])


def _memref_store(compiler: Compiler, op: Operation) -> Step:
    return _store(compiler, op, [itemgetter(slot) for slot in compiler.slots(op.operands[2:])])


def _alloc(compiler: Compiler, op: Operation) -> Step:
    target, located = compiler.slot(op.results[0]), _Located(op)
    memref_type: Any = op.results[0].type
    assert isinstance(memref_type, MemRefType)
    dynamic = iter(compiler.slots(op.operands))
    extents = [itemgetter(next(dynamic)) if n < 0 else _constant_index(n) for n in memref_type.get_shape()]

    def allocate(frame: Frame) -> None:
        found = [extent(frame) for extent in extents]
        if any(extent < 0 for extent in found):
            raise located.error(f"memory of negative extents {found}")
        frame[target] = Memory.undefined(found)

    return allocate


def _get_table(compiler: Compiler, op: Operation) -> Step:
    """Leave a table where the interpreter puts it once and for all."""
    compiler.slot(op.results[0])
    return lambda _frame: None


def _constant_index(value: int) -> Index:
    return lambda _frame: value


_NO_INDICES: list[Index] = [_constant_index(0)] * 2


def _dim(compiler: Compiler, op: Operation) -> Step:
    target, (memory, position) = compiler.slot(op.results[0]), compiler.slots(op.operands)

    def dim(frame: Frame) -> None:
        frame[target] = frame[memory].extents[frame[position]]

    return dim


def _dealloc(_compiler: Compiler, _op: Operation) -> Step:
    return lambda _frame: None


def _constant(compiler: Compiler, op: Operation) -> None:
    try:
        compiler.constants[compiler.slot(op.results[0])] = constant(op)
    except ArithmeticFault as fault:
        raise _Located(op).error(str(fault)) from None


def _map_result(choose: Callable[[list[int]], int]) -> Callable[[Compiler, Operation], Step]:
    def compile_map(compiler: Compiler, op: Operation) -> Step:
        target, results = compiler.slot(op.results[0]), compiler.indices(op.properties["map"], op.operands)

        def apply(frame: Frame) -> None:
            frame[target] = choose([result(frame) for result in results])

        return apply

    return compile_map


def _affine_for(compiler: Compiler, op: Operation) -> Step:
    lower_map, upper_map = op.properties["lowerBoundMap"], op.properties["upperBoundMap"]
    step = op.properties["step"]
    assert isinstance(lower_map, AffineMapAttr)
    assert isinstance(upper_map, AffineMapAttr)
    assert isinstance(step, IntegerAttr)
    lower_end = lower_map.data.num_dims + lower_map.data.num_symbols
    upper_end = lower_end + upper_map.data.num_dims + upper_map.data.num_symbols
    lower = compiler.indices(lower_map, op.operands[:lower_end])
    upper = compiler.indices(upper_map, op.operands[lower_end:upper_end])
    by = step.value.data

    def trip(frame: Frame) -> range:
        return range(max([bound(frame) for bound in lower]), min([bound(frame) for bound in upper]), by)

    return _loop(compiler, op, trip, op.operands[upper_end:])


def _scf_for(compiler: Compiler, op: Operation) -> Step:
    lower, upper, by = compiler.slots(op.operands[:3])
    located = _Located(op)

    def trip(frame: Frame) -> range:
        if frame[by] <= 0:
            raise located.error(f"a loop with step {frame[by]}")
        return range(frame[lower], frame[upper], frame[by])

    return _loop(compiler, op, trip, op.operands[3:])


def _loop(compiler: Compiler, op: Operation, trip: Callable[[Frame], range], initial: Sequence[SSAValue]) -> Step:
    """Compile a counted loop; the carried values go from the initial ones over the block arguments to the results."""
    variable, *carried = compiler.slots(op.regions[0].block.args)
    start, results = compiler.slots(initial), compiler.slots(op.results)
    body, spend = compiler.region(op.regions[0]), compiler.budget.spend

    def plain(frame: Frame) -> None:
        for value in spend(trip(frame)):
            frame[variable] = value
            body(frame)

    def carrying(frame: Frame) -> None:
        values: Sequence[Any] = [frame[slot] for slot in start]
        for value in spend(trip(frame)):
            frame[variable] = value
            _assign(frame, carried, values)
            values = body(frame)
        _assign(frame, results, values)

    return carrying if start else plain


def _scf_while(compiler: Compiler, op: Operation) -> Step:
    """Compile a loop that tests first; values go round as those of other loops do."""
    (arguments, inner), (start, results) = (
        [compiler.slots(region.block.args) for region in op.regions],
        [compiler.slots(values) for values in (op.operands, op.results)],
    )
    (test, body), once = [compiler.region(region) for region in op.regions], range(1)

    def loop(frame: Frame) -> None:
        values: Sequence[Any] = [frame[slot] for slot in start]
        while True:
            _assign(frame, arguments, values)
            goes_on, *values = test(frame)
            if not goes_on:
                break
            compiler.budget.spend(once)
            _assign(frame, inner, values)
            values = body(frame)
        _assign(frame, results, values)

    return loop


def _assign(frame: Frame, slots: Sequence[int], values: Sequence[Any]) -> None:
    for slot, value in zip(slots, values, strict=True):
        frame[slot] = value


def _affine_if(compiler: Compiler, op: Operation) -> Step:
    condition = op.properties["condition"]
    assert isinstance(condition, AffineSetAttr)
    slots, num_dims = compiler.slots(op.operands), condition.data.num_dims
    constraints = [
        _constraint(compiler, constraint, slots[:num_dims], slots[num_dims:])
        for constraint in condition.data.constraints
    ]
    return _branch(compiler, op, lambda frame: all(holds(frame) for holds in constraints))


def _constraint(
    compiler: Compiler, constraint: AffineConstraintExpr, dims: Sequence[int], symbols: Sequence[int]
) -> Callable[[Frame], bool]:
    left, right = (compiler.index(side, dims, symbols) for side in (constraint.lhs, constraint.rhs))
    if constraint.kind is AffineConstraintKind.eq:
        return lambda frame: left(frame) == right(frame)
    if constraint.kind is AffineConstraintKind.ge:
        return lambda frame: left(frame) >= right(frame)
    return lambda frame: left(frame) <= right(frame)


def _scf_if(compiler: Compiler, op: Operation) -> Step:
    condition = compiler.slot(op.operands[0])
    return _branch(compiler, op, lambda frame: bool(frame[condition]))


def _branch(compiler: Compiler, op: Operation, condition: Callable[[Frame], bool]) -> Step:
    then, otherwise = map(compiler.region, op.regions)
    results = compiler.slots(op.results)

    def branch(frame: Frame) -> None:
        _assign(frame, results, (then if condition(frame) else otherwise)(frame))

    return branch


_COMPILERS: dict[str, Callable[[Compiler, Operation], Step | None]] = {
    "affine.apply": _map_result(min),
    "affine.for": _affine_for,
    "affine.if": _affine_if,
    "affine.load": _affine_load,
    "affine.max": _map_result(max),
    "affine.min": _map_result(min),
    "affine.store": _affine_store,
    "arith.constant": _constant,
    "memref.alloc": _alloc,
    "memref.alloca": _alloc,
    "memref.get_global": _get_table,
    "memref.dealloc": _dealloc,
    "memref.dim": _dim,
    "memref.load": _memref_load,
    "memref.store": _memref_store,
    "scf.for": _scf_for,
    "scf.if": _scf_if,
    "scf.while": _scf_while,
}
