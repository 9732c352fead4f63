"""How long loops take, roughly: one step is the time of adding two numbers that are at hand.

It tells which of two functions in the loop IR, one a program for the other, is the quicker by the same compiler.  What
counts is what differs between them: how much of arrays the loops go over, where whole blocks of memory are fetched for
a few cells, operations that take long, sums that wait for the one before, and loops that end early.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.affine import ForOp, LoadOp, StoreOp
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.memref import AllocaOp
from xdsl.ir import Operation

from tensorlift.ir.left_early import refusal_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from xdsl.ir import Block, Region, SSAValue
    from xdsl.ir.affine import AffineConstraintExpr

    from tensorlift.ir.function import FunctionView

SIZE = 1000  # of what nobody knows
_ITERATIONS = 2  # at least, of a loop between two bounds that are data
_EARLY = 8  # one of so many iterations is done in a loop that may end early
_STARTED = 4.0  # steps for entering a loop
_CALLED, _IN_BLAS = 300.0, 0.25  # steps for calling BLAS, and for what is a step elsewhere
_ALLOCATED = 50.0
_ONE_BY_ONE = 3.0  # for a cell that is no neighbour of the last, in loops for threads
_BY_CONSTANT = 4.0  # a quotient of integers: a product
_BRANCH = 4.0  # on the variable of a loop for threads, which compilers do not split there
_WAITING = 3.0  # for the sum of the iteration before
_LOADED_AND_STORED = 2  # times that a plain sum is reached in an iteration
_UNROLLED = 16  # iterations of a loop at most whose sums wait while others run
_BLOCK = 8  # cells that come from memory together
_FUNCTION, _DIVISION, _CALL = 40.0, 20.0, 8.0  # fmax and fmin are calls, for NaN
_ROOT, _ROOT_ALONE = 3.0, 10.0  # where nobody asks for errno, several at a time, and else
_STEPS = {
    **dict.fromkeys(("arith.constant", "arith.index_cast", "arith.extf", "affine.yield", "scf.yield"), 0.0),
    **{f"arith.{name}": _DIVISION for name in ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi")},
    **{f"math.{name}": 1.0 for name in ("absf", "absi", "copysign", "fma", "floor", "ceil", "trunc", "roundeven")},
    "arith.divf": 8.0,
    "math.powf": 2 * _FUNCTION,
    "arith.maxnumf": _CALL,
    "arith.minnumf": _CALL,
}
_SUMS = {"arith.addf", "arith.subf", "arith.mulf"}  # in floats, which are not reordered unless one may


def estimated_steps(
    view: FunctionView,
    sizes: Mapping[str, int],
    *,
    reordered: bool = False,
    threaded: bool = False,
    calls: Collection[Operation] = (),
) -> float:
    """Return the steps that a function takes at some sizes, 1000 for any that is not given.

    Where sums may be ``reordered``, none waits for the one before, and nobody asks for errno.  The ``calls`` are loops
    that BLAS does.  Compilers make functions of loops of a ``threaded`` one, and split none of them.
    """
    return _Loops(view, sizes, calls, reordered=reordered, threaded=threaded).block(view.body)


class _Loops:
    def __init__(
        self,
        view: FunctionView,
        sizes: Mapping[str, int],
        calls: Collection[Operation],
        *,
        reordered: bool,
        threaded: bool,
    ) -> None:
        self._calls, self.is_reordered, self.is_threaded = calls, reordered, threaded
        self.root = _ROOT if reordered else _ROOT_ALONE
        self._values: dict[SSAValue, int] = {}
        self._sizes: set[SSAValue] = set()
        self._extents: dict[SSAValue, list[int]] = {}
        known = defaultdict(lambda: SIZE, sizes)
        for value, parameter in zip(view.body.args, view.parameters, strict=True):
            if parameter.role == "size":
                self._values[value] = known[parameter.name]
                self._sizes.add(value)
            self._extents[value] = [extent.at(known) for extent in parameter.extents or ()]

    def block(self, block: Block, around: SSAValue | None = None, runs: float = 1.0) -> float:
        """Return the steps of what stands in a block.

        It is the body of a loop with the variable ``around`` that ``runs`` so often.
        """
        steps = _Iteration(self, around, block, waits=runs > _UNROLLED).steps
        return steps + sum(share * self._loop(loop) for loop, share in self._loops_in(block))

    def _loops_in(self, block: Block, share: float = 1.0) -> Iterator[tuple[Operation, float]]:
        """Yield the loops that stand in a block, not those inside, each with how often a condition lets it run."""
        for op in block.ops:
            if isinstance(op, ForOp) or op.name == "scf.while":
                yield op, share
                continue
            arms = self.arms(op)
            for inner in (inner for region in arms for inner in region.blocks):
                yield from self._loops_in(inner, share / len(arms))

    def arms(self, op: Operation) -> Sequence[Region]:
        """Give the regions of an operation that may run: of a condition on sizes alone, the one that these choose."""
        if op.name != "affine.if" or not all(operand in self._sizes for operand in op.operands):
            return op.regions
        condition: Any = op.properties["condition"]
        dims, symbols = self._operands(condition.data.num_dims, op.operands)
        holds = all(_holds(one, one.lhs.eval(dims, symbols)) for one in condition.data.constraints)
        return op.regions[:1] if holds else op.regions[1:]

    def _loop(self, op: Operation) -> float:
        runs = self._runs(op) if isinstance(op, ForOp) else SIZE / _EARLY
        inside = 0.0
        for block in (block for region in op.regions for block in region.blocks):
            variable = block.args[0] if isinstance(op, ForOp) else None
            inside += self.block(block, variable, runs)
        return _CALLED + _IN_BLAS * runs * inside if op in self._calls else _STARTED + runs * inside

    def _runs(self, loop: ForOp) -> float:
        """Return how often a loop runs, its variable being in the middle from there on."""
        bounds = (
            (loop.lowerBoundMap.data, loop.lowerBoundOperands),
            (loop.upperBoundMap.data, loop.upperBoundOperands),
        )
        if not all(operand in self._values for _, operands in bounds for operand in operands):
            return _ITERATIONS
        lower, upper = (
            [result.eval(*self._operands(map_.num_dims, operands)) for result in map_.results]
            for map_, operands in bounds
        )
        low, high = max(lower), min(upper)
        self._values[loop.body.block.args[0]] = (low + high) // 2
        runs = max(high - low, 0) / loop.step.value.data
        return runs if refusal_of(loop) is None else runs / _EARLY

    def _operands(self, dims: int, operands: Iterable[SSAValue], moved: SSAValue | None = None) -> Any:
        values = [self._values.get(operand, 0) + (operand is moved) for operand in operands]
        return values[:dims], values[dims:]

    def stride(self, access: LoadOp | StoreOp, variable: SSAValue) -> int:
        """Return how many cells lie between those that two iterations reach."""
        map_, operands = access.map.data, _indices(access)
        before, after = (self._operands(map_.num_dims, operands, moved) for moved in (None, variable))
        shape = _shape(access.memref)
        extents = self._extents.get(access.memref) or [dim if dim > 0 else SIZE for dim in shape]
        moved, cells = 0, 1
        for result, extent in zip(reversed(map_.results), reversed(extents), strict=False):
            moved += cells * (result.eval(*after) - result.eval(*before))
            cells *= max(extent, 1)
        return abs(moved)


def _holds(constraint: AffineConstraintExpr, left: int) -> bool:
    """Tell whether a constraint holds, whose right side is nought."""
    kind = constraint.kind.value
    return left == 0 if kind == "==" else left >= 0 if kind == ">=" else left <= 0


def _indices(access: LoadOp | StoreOp) -> tuple[SSAValue, ...]:
    return tuple(access.operands[2 if isinstance(access, StoreOp) else 1 :])


def _shape(memory: SSAValue) -> tuple[int, ...]:
    assert isinstance(memory.type, MemRefType)
    return memory.type.get_shape()


def _element(memory: SSAValue) -> object:
    assert isinstance(memory.type, MemRefType)
    return memory.type.element_type


class _Cell(NamedTuple):
    """A cell that an iteration reaches: its array, its place, and after how many stores into the array."""

    memory: SSAValue
    place: tuple[object, ...]
    stores: int


class _Iteration:
    """The steps of one iteration of a loop without the loops inside.

    What is computed twice counts once, and what is the same in all iterations not at all.
    """

    def __init__(self, loops: _Loops, around: SSAValue | None, block: Block, *, waits: bool) -> None:
        self._loops, self._around, self._waits = loops, around, waits
        self._values: dict[SSAValue, Any] = {}  # what tells whether two are the same
        self._varying: set[Any] = {around}
        self._known: set[Any] = set()
        self._stores: dict[SSAValue, int] = defaultdict(int)
        self._streams: dict[tuple[SSAValue, int], dict[object, float]] = defaultdict(dict)
        self._share = 1.0  # of iterations that get here; where several run at a time, all arms of conditions are done
        self._just_stored: set[_Cell] = set()  # at hand still
        self._own: set[SSAValue] = set()
        self._stored = Counter(op.memref for op in block.walk() if isinstance(op, StoreOp))
        self._touched = Counter(op.memref for op in block.walk() if isinstance(op, LoadOp | StoreOp))
        self._held: dict[SSAValue, SSAValue] = {}  # in variables of an iteration
        self._branches = any(op.regions and not isinstance(op, ForOp) for op in block.ops)
        self.steps = self._block(block)
        for (_, stride), cells in self._streams.items():
            scattered = stride > 1 and self._loops.is_threaded
            reached = sum(cells.values()) * (_ONE_BY_ONE if scattered else 1)
            self.steps += reached if stride <= 1 else max(reached, min(stride, _BLOCK) * max(cells.values()))

    def _block(self, block: Block) -> float:
        return sum(map(self._op, block.ops))

    def _op(self, op: Operation) -> float:
        if isinstance(op, ForOp) or op.name == "scf.while":
            return 0.0
        if isinstance(op, AllocaOp):
            self._own.add(op.memref)
            return _ALLOCATED if _shape(op.memref) else 0.0
        if isinstance(op, LoadOp | StoreOp):
            return self._access(op)
        if op.regions:
            self._varying.update(op.results)
            arms = self._loops.arms(op)
            before, self._share = (
                self._share,
                self._share if self._loops.is_threaded else self._share / max(len(arms), 1),
            )
            inside = sum(sum(map(self._block, region.blocks)) for region in arms) * self._share / before
            self._share = before
            return inside + (_BRANCH if self._loops.is_threaded and self._around in op.operands else 1.0)
        key = (op.name, str(op.properties), *(self._values.get(operand, operand) for operand in op.operands))
        self._values.update(dict.fromkeys(op.results, key))
        if self._around is not None and not any(one in self._varying for one in key[2:]):
            return 0.0
        self._varying.add(key)
        if key in self._known:
            return 0.0
        self._known.add(key)
        if _STEPS.get(op.name) == _DIVISION and isinstance(op.operands[1].owner, ConstantOp):
            return _BY_CONSTANT
        if op.name == "math.sqrt":
            return self._loops.root
        return _STEPS.get(op.name, _FUNCTION if op.name.startswith("math.") else 1.0)

    def _access(self, op: LoadOp | StoreOp) -> float:
        place = (str(op.map), *(self._values.get(index, index) for index in _indices(op)))
        if isinstance(op, StoreOp):
            waits = _WAITING * self._is_sum(op)
            if op.memref in self._own and not _shape(op.memref):
                self._held[op.memref] = op.value
            self._stores[op.memref] += 1
        else:
            waits = 0.0
        cell = _Cell(op.memref, place, self._stores[op.memref])
        stride = 0 if self._around is None else self._loops.stride(op, self._around)
        if isinstance(op, LoadOp):
            if op.memref in self._held and self._stored[op.memref] == 1:
                held = self._held[op.memref]
                self._values[op.result] = self._values.get(held, held)
                return 0.0
            self._values[op.result] = cell
            if stride or self._may_change(op.memref) or any(index in self._varying for index in place):
                self._varying.add(cell)
            elif self._around is not None:
                return 0.0
        if isinstance(op.memref.owner, AllocaOp) and not _shape(op.memref):
            return waits  # in a register
        if isinstance(op, StoreOp):
            self._just_stored.add(cell)
        if isinstance(op, StoreOp) or cell not in self._just_stored:
            cells = self._streams[op.memref, stride]
            key = isinstance(op, StoreOp), place
            cells[key] = max(cells.get(key, 0.0), self._share)
        return waits

    def _may_change(self, memory: SSAValue) -> bool:
        """Tell whether a loop stores into memory, or in one for threads, where nothing is told apart, such as it."""
        alike = self._loops.is_threaded and not isinstance(memory.owner, AllocaOp)
        return memory in self._stored or (
            alike and any(_element(memory) == _element(stored) for stored in self._stored)
        )

    def _is_sum(self, op: StoreOp) -> bool:
        """Tell whether a sum is stored to where each iteration loads it, so that each waits for the one before.

        One that an iteration looks at, adds to only sometimes, or adds a choice to, is not reordered.
        """
        if not self._waits or self._around is None or op.memref in self._own or self._around in _indices(op):
            return False
        made = op.value.owner
        is_plain = isinstance(made, Operation) and made.name in _SUMS and not self._branches
        if self._loops.is_reordered and is_plain and self._touched[op.memref] == _LOADED_AND_STORED:
            return False
        return any(
            one.name in _SUMS and any(isinstance(of, LoadOp) and of.memref is op.memref for of in self._makers(one))
            for one in self._makers(made)
        )

    def _makers(self, last: Any) -> set[Operation]:
        """Return the operations that compute a value, back to loads of what is no variable of the iteration."""
        found: set[Operation] = set()
        waiting = [last]
        while waiting:
            op = waiting.pop()
            if not isinstance(op, Operation) or op in found:
                continue
            found.add(op)
            if isinstance(op, LoadOp):
                values = [self._held[op.memref]] if op.memref in self._held else []
            else:
                ends = (block.last_op for region in op.regions for block in region.blocks)
                values = [*op.operands, *(value for end in ends if end is not None for value in end.operands)]
            waiting += [value.owner for value in values]
        return found
