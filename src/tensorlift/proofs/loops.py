"""Kept loops: an emitted counting loop against the loop that the summary keeps, by induction over its iterations.

Entry: each carried variable holds the version before the loop.  Step: with the carried arrays known by name only, one
iteration makes each carried variable what the summary says, for every value of the loop variable in its range.  Exit:
the names then mean the arrays after the loop.  A carried array of the summary without a variable of the program is no
matter, as long as nothing that is proved needs it.  Other variables that the body assigns have no value at the start of
an iteration, and none after the loop.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ONE, ZERO, Affine
from tensorlift.comprehension.domain import Domain, at_least, equal, less
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.tensor import Strength, array, size
from tensorlift.proofs.carried import carried_variables, has_own_memory, holds_version, take_ownership
from tensorlift.proofs.failure import LOOP, MEMORY, CheckFailure
from tensorlift.proofs.parse import unreadable
from tensorlift.proofs.traced import TracedLoop, assigned_names, rebound_names, returns_inside, stored_names
from tensorlift.proofs.values import Frame, Held

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import KeptLoop
    from tensorlift.proofs.carried import CarriedVariable, KeptLoops
    from tensorlift.proofs.execute import Execution


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
    ledger, (lower, upper, by) = execution.ledger, _range(execution, statement, frame)

    def fits(kept: KeptLoop) -> bool:
        return kept.step == by and ledger.holds(equal(kept.lower, lower), equal(kept.upper, upper))

    kept = loops.take(hints, fits, statement.lineno)
    variables = carried_variables(execution, kept, frame, assigned, hints)
    if is_traced and not all(v.strength is Strength.STRONG for v in variables):
        raise unreadable(statement.target, "a number of Python's in the state of a traced loop")
    step = _Step(execution, statement, statement.target.id, kept, _copy(frame), variables, assigned)
    step.own_memory()
    loops.prove_step(execution, kept, step.prove, translated=is_traced)
    ledger.counts["an iteration keeps what the loop carries"] += len(variables)
    for variable in variables:
        some = Domain.of(*(at_least(extent, 1) for extent in variable.info.shape))
        if (ledger.context & some).implies(less(kept.lower, kept.upper)):
            variable.leave_in_own_memory()  # or there is none
    step.leave(frame)


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
        start = _copy(self.before)
        for name in sorted(self.assigned - {v.name for v in self.variables}):
            self._forget(start, name)
        for variable in self.variables:
            start.bind(variable.name, variable.known())
        start.bind(self.variable, Held(size(Affine.var(self.kept.variable))))
        return start

    def _check_end(self, end: Frame, variable: CarriedVariable) -> None:
        line, name = self.statement.lineno, variable.name
        if not holds_version(self.execution, end, name, variable.info, variable.carried.after):
            reason = f"{name} is not proved to be {variable.carried.after} at the end of an iteration"
            raise CheckFailure(LOOP, reason, line)
        held = end.values[name]
        assert isinstance(held, Held)
        if not held.tensor.is_strong and variable.strength is Strength.STRONG:
            raise CheckFailure(LOOP, f"{name} becomes a Python number in an iteration", line)
        if not has_own_memory(end, name, self._alive(end)):
            variable.ends_owned = False
            if variable.is_owned:
                raise CheckFailure(MEMORY, f"{name} shares memory after an iteration", line)

    def leave(self, frame: Frame) -> None:
        """Make a frame what it is after the loop."""
        frame.lost |= self.before.lost
        for name in sorted(self.before.lost):
            frame.unbind(name)
        for name in sorted(self.assigned - {v.name for v in self.variables}):
            self._forget(frame, name)
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


def _copy(frame: Frame) -> Frame:
    return Frame(frame.local_names, frame.born, dict(frame.values), set(frame.lost))


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
