"""Kept loops: an emitted counting loop against the loop that the summary keeps, by induction over its iterations.

Entry: each carried variable holds the version before the loop.  Step: with the carried arrays known by name only, one
iteration makes each carried variable what the summary says, for every value of the loop variable in its range.  Exit:
the names then mean the arrays after the loop.  A carried array of the summary without a variable of the program is no
matter, as long as nothing that is proved needs it.  Other variables that the body assigns have no value at the start of
an iteration, and none after the loop.

The loops that a summary keeps, proved by induction, and the variables of a program that hold what they carry.

Of these: which they are, and whose memory they have.
"""

from __future__ import annotations

import ast
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import ArrayInfo, Carried, KeptLoop
from tensorlift.comprehension.definition import Item as SummaryItem
from tensorlift.comprehension.tensor import Strength, array, convert, scalar_value, size
from tensorlift.comprehension.terms import Constant
from tensorlift.ops.dtypes import DType, integer_range, is_float, is_integer
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import strided
from tensorlift.proofs.failure import LOOP, MEMORY, CheckFailure
from tensorlift.proofs.obligations import by_cases
from tensorlift.proofs.parse import test_of, unreadable
from tensorlift.proofs.traced import Scan, TracedLoop, assigned_names, rebound_names, returns_inside, stored_names
from tensorlift.proofs.values import Buffer, Frame, Held, Item

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from tensorlift.proofs.counterparts import CutExecution
    from tensorlift.proofs.execute import Execution


class KeptLoops:
    """The kept loops of a summary that are still to come, at each depth of loops."""

    def __init__(self, items: Sequence[SummaryItem]) -> None:
        self._pending = [_loops_among(items)]

    def take(self, names: Collection[str], fits: Callable[[KeptLoop], bool], line: int | None) -> KeptLoop:
        """Take the loop that is next: of those that fit the first one that carries an array by a name, if any does.

        Raises:
            CheckFailure: where none fits.

        """
        pending = self._pending[-1]
        same = [kept for kept in pending if fits(kept)]
        if not same:
            raise CheckFailure(LOOP, "the summary keeps no such loop here", line)
        chosen = next((kept for kept in same if any(c.name in names for c in kept.carried)), same[0])
        del pending[: pending.index(chosen) + 1]
        return chosen

    def prove_step(
        self, execution: CutExecution, kept: KeptLoop, iterate: Callable[[], None], *, translated: bool
    ) -> None:
        """Let an iteration be proved for any value of the variable, of what is ``translated`` also where none runs."""
        ledger, definitions = execution.ledger, execution.definitions
        outside, opaque = ledger.context, set(definitions.opaque)
        execution.surroundings.enter(kept)

        def prove(case: Domain) -> None:
            ledger.within(case)
            definitions.opaque = set(opaque)
            self._pending.append(_loops_among(kept.body))
            try:
                iterate()
            finally:
                self._pending.pop()

        inside = Domain.of(at_least(kept.variable, kept.lower), less(kept.variable, kept.upper))
        with ledger.translating() if translated else nullcontext():
            iterations = inside & strided(kept.variable, kept.lower, kept.step)
            by_cases(outside & iterations, prove, translated=translated)
        execution.surroundings.leave()
        ledger.within(outside)
        definitions.opaque = opaque


def _loops_among(items: Sequence[SummaryItem]) -> list[KeptLoop]:
    return [item for item in items if isinstance(item, KeptLoop)]


@dataclass(eq=False)
class CarriedVariable:
    """A variable of the program that holds a carried array.

    ``is_owned`` where its memory is its own and may be written, ``ends_owned`` where every iteration leaves it so.  A
    number that is a Python one before the loop is either kind afterwards.  ``start`` is what it holds when an iteration
    begins.  ``is_number`` where it is known to be a scalar that nobody can write, after the loop: ``given`` are those
    that hand on what iterations leave in it other than such scalars, None where that is no other's start.
    """

    name: str
    carried: Carried
    info: ArrayInfo
    buffer: Buffer | None
    strength: Strength
    is_owned: bool = False
    ends_owned: bool = True
    is_number: bool = False
    start: Held | None = None
    given: list[CarriedVariable | None] = field(default_factory=list)

    def known(self) -> Held:
        """Return the carried array by its name, in its own memory or in memory that may not be written."""
        tensor = array(self.carried.name, self.info.shape, self.info.dtype)
        if self.strength is not Strength.STRONG:
            return Held(scalar_value(tensor.value(), self.strength))
        if self.is_owned:
            return Held(tensor, self.buffer, is_number=self.is_number)
        if self.ends_owned and self.buffer is not None and self.buffer.is_cell:
            # shared with other numbers where the loop never runs
            return Held(tensor, self.buffer, is_window=True, is_number=self.is_number)
        is_input = tensor.rank > 0 or (self.buffer is not None and self.buffer.is_input)
        return Held(tensor, Buffer(is_input=is_input), is_window=True, is_number=self.is_number)

    def leave_in_own_memory(self) -> None:
        """After at least one iteration the variable is where the last one left it."""
        if self.ends_owned and not self.is_owned:
            self.buffer, self.is_owned = Buffer(), True


def carried_variables(
    execution: Execution, kept: KeptLoop, frame: Frame, assigned: set[str], hints: dict[str, str]
) -> list[CarriedVariable]:
    """Find the variables that hold the carried arrays before the loop; hints and equal names are tried first."""
    free = [name for name in frame.values if name in assigned]
    found: dict[str, CarriedVariable] = {}
    for carried in kept.carried:
        likely = [n for n in (hints.get(carried.name), carried.name, carried.array, carried.before) if n in free]
        unwritten = execution.definitions.is_unwritten(carried.before)
        info = execution.definitions.arrays[carried.array]
        for name in dict.fromkeys(likely if unwritten else [*likely, *free]):
            if name is not None and name not in found and holds_version(execution, frame, name, info, carried.before):
                found[name] = _variable(frame, name, carried, info)
                break
    return list(found.values())


def _variable(frame: Frame, name: str, carried: Carried, info: ArrayInfo) -> CarriedVariable:
    held = frame.values[name]
    assert isinstance(held, Held)
    strength = Strength.STRONG if held.tensor.is_strong else Strength.EITHER
    return CarriedVariable(name, carried, info, held.buffer, strength)


def holds_version(execution: CutExecution, frame: Frame, name: str, info: ArrayInfo, version: str) -> bool:
    """Tell whether a variable holds a version of an array."""
    return is_version(execution, frame.values.get(name), info, version)


def is_version(execution: CutExecution, held: Item | None, info: ArrayInfo, version: str) -> bool:
    """Tell whether a value is a version of an array."""
    if isinstance(held, Held) and not held.tensor.is_strong:
        held = _as_typed_number(held, info.dtype)
    if not isinstance(held, Held) or held.tensor.dtype != info.dtype or not execution.has_shape(held, info.shape):
        return False
    if execution.definitions.is_unwritten(version):
        return True
    context = execution.ledger.context
    return (
        held.blank is None
        and execution.definitions.is_version(held.tensor, version, context)
        and execution.counterparts.difference(held.tensor, version, context) is None
    )


def _as_typed_number(held: Held, dtype: DType) -> Held:
    """Read a Python float as one of the type, and a constant Python integer that fits."""
    tensor = held.tensor
    value = tensor.value()
    if is_integer(dtype) and tensor.dtype != dtype:
        low, high = integer_range(dtype)
        if not isinstance(value, Constant) or not is_integer(tensor.dtype) or not low <= value.value <= high:
            return held
    elif is_float(dtype) != is_float(tensor.dtype):
        return held
    return Held(scalar_value(convert(value, dtype), tensor.strength))


def take_ownership(frame: Frame, variables: list[CarriedVariable], stored: set[str], alive: set[str]) -> None:
    """Decide which variables have memory of their own; other names of memory that the body writes are lost."""
    for name in sorted(stored):
        held = frame.values.get(name)
        if isinstance(held, Held) and held.buffer is not None:
            frame.lose(held.buffer, name)
    for variable in variables:
        variable.is_owned = has_own_memory(frame, variable.name, alive)


def has_own_memory(frame: Frame, name: str, alive: Iterable[str]) -> bool:
    """Tell whether a variable's memory is no input's and that of no other name that is still used.

    Raises:
        CheckFailure: where the body writes that memory by another name.

    """
    held = frame.values.get(name)
    if not isinstance(held, Held):
        raise CheckFailure(MEMORY, f"the loop writes the memory of {name} by another name")
    if held.buffer is None or held.buffer.is_input or held.is_window:
        return held.buffer is None
    others = (frame.values.get(other) for other in alive if other != name)
    return not any(isinstance(other, Held) and other.buffer is held.buffer for other in others)


def prove_loop(loops: KeptLoops, execution: Execution, statement: ast.For, frame: Frame) -> None:
    """Prove a loop and leave the frame as it is after the loop.

    Raises:
        CheckFailure: where the loop is none of the summary's, or entry or step are not proved.

    """
    if not isinstance(statement.target, ast.Name):
        raise unreadable(statement.target, "a loop variable")
    assigned, is_traced = assigned_names(statement.body), isinstance(statement, TracedLoop)
    if statement.target.id in assigned or returns_inside(statement.body):
        raise unreadable(statement.target, "a loop variable that is assigned, or a return inside a loop")
    if isinstance(statement, TracedLoop):
        _check_traced(execution, statement, frame)
    hints = {cut.definition: cut.variable for cut in execution.cuts_at(statement.lineno)}
    ledger, test = execution.ledger, test_of(statement)
    kept = loops.take(hints, _fits(execution, statement, frame), statement.lineno)
    variables = carried_variables(execution, kept, frame, assigned, hints)
    if test is not None and not any(v.name == test and v.carried.name == kept.goes_on for v in variables):
        raise CheckFailure(LOOP, f"{test} is not proved to say whether the loop goes on", statement.lineno)
    if is_traced and not all(v.strength is Strength.STRONG for v in variables):
        raise unreadable(statement.target, "a number of Python's in the state of a traced loop")
    step = _Step(execution, statement, statement.target.id, kept, frame.copy(), variables, assigned)
    step.own_memory()
    loops.prove_step(execution, kept, step.prove, translated=is_traced)
    if step.shared:  # numbers that share memory in the end are shown to go on so from the start
        for variable in step.shared:
            variable.is_owned = False
        loops.prove_step(execution, kept, step.prove, translated=is_traced)
    ledger.counts["an iteration keeps what the loop carries"] += len(variables)
    for variable in variables:
        some = Domain.of(*(at_least(extent, 1) for extent in variable.info.shape))
        if (ledger.context & some).implies(less(kept.lower, kept.upper)):
            variable.leave_in_own_memory()  # or there is none
    _tell_numbers(frame, variables)
    step.leave(frame)


def _tell_numbers(frame: Frame, variables: list[CarriedVariable]) -> None:
    """Tell which variables are scalars: before the loop, and where iterations leave new ones or hand them on."""
    for variable in variables:
        held = frame.values.get(variable.name)
        variable.is_number = isinstance(held, Held) and held.is_number
    while written := [v for v in variables if v.is_number and not all(g and g.is_number for g in v.given)]:
        for variable in written:
            variable.is_number = False


def _fits(execution: Execution, statement: ast.For, frame: Frame) -> Callable[[KeptLoop], bool]:
    """Tell which loops of a summary a loop may be: over the same range, or as long as something holds."""
    if test_of(statement) is not None:
        return lambda kept: kept.goes_on is not None
    lower, upper, by = _range(execution, statement, frame)

    def fits(kept: KeptLoop) -> bool:
        same = equal(kept.lower, lower), equal(kept.upper, upper)
        return kept.goes_on is None and kept.step == by and execution.ledger.holds(*same)

    return fits


@dataclass
class _Step:
    """One iteration of a loop, for any value of its variable; ``before`` has the names as they are before the loop."""

    execution: Execution
    statement: ast.For
    variable: str
    kept: KeptLoop
    before: Frame
    variables: list[CarriedVariable]
    assigned: set[str]
    shared: list[CarriedVariable] = field(default_factory=list)

    def own_memory(self) -> None:
        """Decide whose memory the carried variables have; arrays that cannot change may share it."""
        if not self.execution.evaluator.target.changes_arrays:
            return
        take_ownership(self.before, self.variables, stored_names(self.statement.body), self._alive(self.before))

    def _alive(self, frame: Frame) -> set[str]:
        """Return the names that the next iteration may read: all but those that are only of this one."""
        return (frame.values.keys() - self.assigned) | {v.name for v in self.variables}

    def prove(self) -> None:
        """Execute the body once and prove that it keeps what the loop carries."""
        frame = self._start()
        constant = frame.values.keys() - self.assigned
        self.execution.run(self.statement.body, frame)
        touched = constant & frame.lost
        if touched:
            raise CheckFailure(MEMORY, f"the loop changes the memory of {min(touched)}", self.statement.lineno)
        for variable in self.variables:
            self._check_end(frame, variable)

    def _start(self) -> Frame:
        start = self.before.copy()
        for name in sorted(self.assigned - {v.name for v in self.variables}):
            self._forget(start, name)
        for variable in self.variables:
            variable.start = variable.known()
            start.bind(variable.name, variable.start)
        if self.kept.goes_on is None:
            start.bind(self.variable, Held(size(Affine.var(self.kept.variable))))
        return start

    def _check_end(self, end: Frame, variable: CarriedVariable) -> None:
        line, name = self.statement.lineno, variable.name
        if not holds_version(self.execution, end, name, variable.info, variable.carried.after):
            reason = f"{name} is not proved to be {variable.carried.after} at the end of an iteration"
            raise CheckFailure(LOOP, reason, line)
        held = end.values[name]
        assert isinstance(held, Held)
        if not held.is_number:
            given = [v for v in self.variables if v.start is not None and v.start.buffer is held.buffer]
            variable.given += given or [None]
        if not held.tensor.is_strong and variable.strength is Strength.STRONG:
            raise CheckFailure(LOOP, f"{name} becomes a Python number in an iteration", line)
        if not has_own_memory(end, name, self._alive(end)):
            variable.ends_owned = False
            if variable.is_owned and not variable.info.shape and variable not in self.shared:
                self.shared.append(variable)
            elif variable.is_owned:
                raise CheckFailure(MEMORY, f"{name} shares memory after an iteration", line)

    def leave(self, frame: Frame) -> None:
        """Make a frame what it is after the loop."""
        frame.lost |= self.before.lost
        for name in sorted(self.before.lost):
            frame.unbind(name)
        for name in sorted(self.assigned - {v.name for v in self.variables}):
            self._forget(frame, name)
        if self.kept.goes_on is None:
            frame.unbind(self.variable)
        for variable in self.variables:
            frame.bind(variable.name, variable.known())

    def _forget(self, frame: Frame, name: str) -> None:
        """Forget what a name holds that the body assigns and the loop does not carry.

        If the body only stores into its memory, the memory stays, with contents that nobody knows.
        """
        held = frame.values.get(name)
        is_written = isinstance(held, Held) and held.buffer is not None and not held.buffer.is_input
        if not isinstance(held, Held) or not is_written or name in rebound_names(self.statement.body):
            frame.unbind(name)
            return
        unknown = array(f"unknown {fresh('cells')}", held.tensor.shape, held.tensor.dtype)
        frame.values[name] = held.with_tensor(unknown, None)


def _check_traced(execution: Execution, loop: TracedLoop, frame: Frame) -> None:
    """Demand that the names of the body alone mean nothing around it, that the loop is JAX's, and counts integers."""
    hiding = loop.own & frame.values.keys()
    if hiding:
        raise unreadable(loop.target, f"{min(hiding)} in the body of a loop hides another")
    for name in sorted(loop.beside):
        held = frame.values.get(name)
        if not isinstance(held, Held) or held.tensor.is_strong:
            raise unreadable(loop.target, f"{name}, which is no number of Python's, beside the variable of a loop")
    if "lax" not in execution.evaluator.program.modules:
        raise unreadable(loop.target, "a loop of a module that is not imported")
    if isinstance(loop, Scan):
        _check_scan(execution, loop, frame)


def _check_scan(execution: Execution, loop: Scan, frame: Frame) -> None:
    """Demand that a scan runs as often as its slices have cells, and that there are cells to begin with.

    A position past the end is one inside in JAX, and does not matter where the loop runs no times.
    """
    lower, upper, _ = _range(execution, loop, frame)
    ledger = execution.ledger
    ledger.require("a scan begins with no cell counted from the end", at_least(lower, 0))
    count = upper - lower if ledger.decide(at_least(upper, lower)) else ZERO
    leads = {id(lead): execution.evaluator.size(lead, frame) for lead in loop.leads}
    for rows in loop.apart:
        differences = [leads[id(one)] - leads[id(other)] for one, other in zip(*rows, strict=False)]
        if not any(difference.is_constant and difference != ZERO for difference in differences):
            raise unreadable(rows[0][0], "a row that the scan may store")
    for part in loop.slices:
        held = execution.evaluator.evaluate(part, frame)
        rank = held.tensor.rank if isinstance(held, Held) else 0
        if not isinstance(held, Held) or not rank or not execution.has_shape(held, (count, *held.tensor.shape[1:])):
            raise unreadable(part, "a slice that has not as many cells as the scan has iterations")
    for start in loop.starts:
        held = execution.evaluator.evaluate(start, frame)
        if not isinstance(held, Held) or not held.tensor.rank:
            raise unreadable(start, "a scan that begins with a cell of no array")
        ledger.require("a scan begins with a cell", at_least(held.tensor.shape[0], 1))


def _range(execution: Execution, statement: ast.For, frame: Frame) -> tuple[Affine, Affine, int]:
    call = statement.iter
    is_range = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
    if not is_range or "range" in frame.local_names or not isinstance(call, ast.Call) or call.keywords:
        raise unreadable(statement.iter, "a loop that is no range")
    ends = [execution.evaluator.size(a, frame) for a in call.args]
    if not 1 <= len(ends) <= 3:  # noqa: PLR2004 - range takes stop, start, step
        raise unreadable(statement.iter, "a loop that is no range")
    lower, upper, step = (ZERO, ends[0], ONE) if len(ends) == 1 else (*ends, ONE)[:3]
    if not step.is_constant or step.constant < 1:
        raise unreadable(statement.iter, "a step that is no positive constant")
    return lower, upper, step.constant
