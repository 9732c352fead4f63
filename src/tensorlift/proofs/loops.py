"""Kept loops: an emitted counting loop against the loop that the summary keeps, by induction over its iterations.

Entry: each carried variable holds the version before the loop.  Step: with the carried arrays known by name only, one
iteration makes each carried variable what the summary says, for every value of the loop variable in its range.  Exit:
the names then mean the arrays after the loop.  A carried array of the summary without a variable of the program is no
matter, as long as nothing that is proved needs it.  Other variables that the body assigns have no value at the start
of an iteration, and none after the loop.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ONE, ZERO, Affine
from tensorlift.comprehension.definition import KeptLoop
from tensorlift.comprehension.domain import Domain, at_least, equal, less
from tensorlift.comprehension.dtypes import integer_range, is_float, is_integer
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.tensor import Strength, array, convert, scalar_value, size
from tensorlift.comprehension.terms import Constant
from tensorlift.proofs.cases import by_cases
from tensorlift.proofs.failure import LOOP, MEMORY, CheckFailure
from tensorlift.proofs.parse import unreadable
from tensorlift.proofs.values import Buffer, Frame, Held

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.definition import ArrayInfo, Carried
    from tensorlift.comprehension.definition import Item as SummaryItem
    from tensorlift.comprehension.dtypes import DType
    from tensorlift.proofs.execute import Execution


@dataclass
class CarriedVariable:
    """A variable of the program that holds a carried array.

    ``is_owned`` where its memory is its own and may be written, ``ends_owned`` where every iteration leaves it so.  A
    number that is a Python one before the loop is either kind afterwards.
    """

    name: str
    carried: Carried
    info: ArrayInfo
    buffer: Buffer | None
    strength: Strength
    is_owned: bool = False
    ends_owned: bool = True


class LoopProver:
    """Proves the loops of one program; it remembers which kept loops of the summary are still to come."""

    def __init__(self, items: tuple[SummaryItem, ...], arrays: dict[str, ArrayInfo]) -> None:
        self._arrays = arrays
        self._pending: list[list[KeptLoop]] = [_kept(items)]

    def prove(self, execution: Execution, statement: ast.For, frame: Frame) -> None:
        """Prove a loop and leave the frame as it is after the loop.

        Raises:
            CheckFailure: where the loop is none of the summary's, or entry or step are not proved.

        """
        kept, name = self._find(execution, statement, frame)
        assigned = _assigned_names(statement.body)
        if name in assigned:
            raise unreadable(statement.target, "a loop variable that is assigned")
        variables = self._carried_variables(execution, statement, kept, frame, assigned)
        before = Frame(frame.local_names, frame.born, dict(frame.values), set(frame.lost))
        _take_ownership(before, variables, _stored_names(statement.body), assigned)
        self._prove_step(execution, statement, kept, before, variables, assigned)
        if execution.ledger.holds(less(kept.lower, kept.upper)):
            _own_results(variables)
        self._leave(frame, before, variables, assigned | {name})

    # -- which loop

    def _find(self, execution: Execution, statement: ast.For, frame: Frame) -> tuple[KeptLoop, str]:
        if not isinstance(statement.target, ast.Name):
            raise unreadable(statement.target, "a loop variable")
        lower, upper, step = _range(execution, statement, frame)
        pending = self._pending[-1]
        for position, kept in enumerate(pending):
            ends = equal(kept.lower, lower), equal(kept.upper, upper)
            if kept.step == step and execution.ledger.holds(*ends):
                del pending[: position + 1]
                return kept, statement.target.id
        raise CheckFailure(LOOP, "the summary keeps no such loop here", statement.lineno)

    # -- entry

    def _carried_variables(
        self, execution: Execution, statement: ast.For, kept: KeptLoop, frame: Frame, assigned: set[str]
    ) -> list[CarriedVariable]:
        free = [name for name in frame.values if name in assigned]
        hints = {cut.definition: cut.variable for cut in execution.cuts_at(statement.lineno)}
        found: dict[str, str] = {}
        for carried in kept.carried:
            likely = [hints.get(carried.name), carried.name, carried.array, carried.before]
            for name in dict.fromkeys([*(n for n in likely if n in free), *free]):
                unwritten = execution.definitions.is_unwritten(carried.before)
                if name is None or name in found.values() or (unwritten and name not in likely):
                    continue
                if self._holds(execution, frame, name, carried.array, carried.before):
                    found[carried.name] = name
                    break
        return [self._variable(frame, found[c.name], c) for c in kept.carried if c.name in found]

    def _variable(self, frame: Frame, name: str, carried: Carried) -> CarriedVariable:
        held = frame.values[name]
        assert isinstance(held, Held)
        strength = Strength.STRONG if held.tensor.is_strong else Strength.EITHER
        return CarriedVariable(name, carried, self._arrays[carried.array], held.buffer, strength)

    def _holds(self, execution: Execution, frame: Frame, name: str, array_name: str, version: str) -> bool:
        """Tell whether a variable holds a version of an array."""
        held, info = frame.values.get(name), self._arrays[array_name]
        if isinstance(held, Held) and not held.tensor.is_strong:
            held = _as_typed_number(held, info.dtype)
        if not isinstance(held, Held) or held.tensor.dtype != info.dtype or not execution.has_shape(held, info.shape):
            return False
        if execution.definitions.is_unwritten(version):
            return True
        return held.blank is None and execution.definitions.is_version(held.tensor, version, execution.ledger.context)

    # -- step

    def _prove_step(  # noqa: PLR0913 - the parts of one loop
        self,
        execution: Execution,
        statement: ast.For,
        kept: KeptLoop,
        before: Frame,
        variables: list[CarriedVariable],
        assigned: set[str],
    ) -> None:
        ledger, definitions = execution.ledger, execution.definitions
        outside, opaque = ledger.context, set(definitions.opaque)
        execution.divisors.active.append(kept.body)

        def iterate(case: Domain) -> None:
            ledger.within(case)
            definitions.opaque = set(opaque)
            self._pending.append(_kept(kept.body))
            try:
                start = self._iteration_start(statement, kept, before, variables, assigned)
                self._prove_iteration(execution, statement, start, variables, assigned)
            finally:
                self._pending.pop()

        by_cases(outside & _iterations(kept), iterate)
        execution.divisors.active.pop()
        ledger.within(outside)
        definitions.opaque = opaque
        ledger.counts["an iteration keeps what the loop carries"] += len(variables)

    def _prove_iteration(
        self,
        execution: Execution,
        statement: ast.For,
        frame: Frame,
        variables: list[CarriedVariable],
        assigned: set[str],
    ) -> None:
        if _returns(statement.body):
            raise unreadable(statement.target, "a return inside a loop")
        unassigned = frame.values.keys() - assigned
        execution.run(statement.body, frame)
        _check_untouched(unassigned, frame, statement)
        for variable in variables:
            self._check_end(execution, statement, frame, variable, variables, assigned)

    def _iteration_start(
        self,
        statement: ast.For,
        kept: KeptLoop,
        before: Frame,
        variables: list[CarriedVariable],
        assigned: set[str],
    ) -> Frame:
        assert isinstance(statement.target, ast.Name)
        start = Frame(before.local_names, before.born, dict(before.values), set(before.lost))
        carried = {v.name for v in variables}
        for name in sorted(assigned - carried):
            _forget_contents(start, name)
        for variable in variables:
            start.bind(variable.name, _known(variable))
        start.bind(statement.target.id, Held(size(Affine.var(kept.variable))))
        return start

    def _check_end(
        self,
        execution: Execution,
        statement: ast.For,
        end: Frame,
        variable: CarriedVariable,
        variables: list[CarriedVariable],
        assigned: set[str],
    ) -> None:
        if not self._holds(execution, end, variable.name, variable.carried.array, variable.carried.after):
            reason = f"{variable.name} is not proved to be {variable.carried.after} at the end of an iteration"
            raise CheckFailure(LOOP, reason, statement.lineno)
        held = end.values[variable.name]
        assert isinstance(held, Held)
        if not held.tensor.is_strong and variable.strength is Strength.STRONG:
            raise CheckFailure(LOOP, f"{variable.name} becomes a Python number in an iteration", statement.lineno)
        if not _is_owned(held, variable.name, end, end.values.keys() - assigned | {v.name for v in variables}):
            variable.ends_owned = False
            if variable.is_owned:
                raise CheckFailure(MEMORY, f"{variable.name} shares memory after an iteration", statement.lineno)

    # -- exit

    def _leave(self, frame: Frame, before: Frame, variables: list[CarriedVariable], gone: set[str]) -> None:
        frame.lost |= before.lost
        for name in sorted(gone | before.lost):
            frame.unbind(name)
        for name in sorted(gone):
            held = before.values.get(name)
            if isinstance(held, Held) and name not in {v.name for v in variables}:
                frame.values[name] = held
                _forget_contents(frame, name)
        for variable in variables:
            frame.bind(variable.name, _known(variable))


def _kept(items: tuple[SummaryItem, ...]) -> list[KeptLoop]:
    return [item for item in items if isinstance(item, KeptLoop)]


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


def _iterations(kept: KeptLoop) -> Domain:
    """Return the values of the loop variable."""
    inside = Domain.of(at_least(kept.variable, kept.lower), less(kept.variable, kept.upper))
    return inside & Domain.strided(kept.variable, kept.lower, kept.step)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.For | ast.With):
            yield from _statements(statement.body)


def _returns(body: list[ast.stmt]) -> bool:
    return any(isinstance(statement, ast.Return) for statement in _statements(body))


def _targets(body: list[ast.stmt]) -> Iterator[ast.expr]:
    for statement in _statements(body):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from target.elts if isinstance(target, ast.Tuple) else [target]
        elif isinstance(statement, ast.AugAssign | ast.For):
            yield statement.target


def _assigned_names(body: list[ast.stmt]) -> set[str]:
    """Return the names that a body binds or stores into."""
    names = {t.id for t in _targets(body) if isinstance(t, ast.Name)}
    return names | {
        t.value.id for t in _targets(body) if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)
    }


def _stored_names(body: list[ast.stmt]) -> set[str]:
    """Return the names into whose memory a body stores."""
    stored = {t.value.id for t in _targets(body) if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)}
    updates = (s.target for s in _statements(body) if isinstance(s, ast.AugAssign))
    return stored | {t.id for t in updates if isinstance(t, ast.Name)}


def _take_ownership(frame: Frame, variables: list[CarriedVariable], stored: set[str], assigned: set[str]) -> None:
    """Decide which carried variables have memory of their own; other names of memory that the body writes are lost."""
    for name in sorted(stored):
        held = frame.values.get(name)
        if isinstance(held, Held) and held.buffer is not None:
            frame.lose(held.buffer, name)
    for variable in variables:
        held = frame.values[variable.name]
        assert isinstance(held, Held)
        others = assigned - {v.name for v in variables}
        variable.is_owned = _is_owned(held, variable.name, frame, frame.values.keys() - others)


def _is_owned(held: Held, name: str, frame: Frame, alive: set[str]) -> bool:
    if held.buffer is None or held.buffer.is_input or held.is_window:
        return held.buffer is None
    sharing = [n for n, v in frame.values.items() if n != name and isinstance(v, Held) and v.buffer is held.buffer]
    return not any(n in alive for n in sharing)


def _known(variable: CarriedVariable) -> Held:
    """Return a carried array by its name, in its own memory or in memory that may not be written."""
    tensor = array(variable.carried.name, variable.info.shape, variable.info.dtype)
    if variable.buffer is None:
        return Held(scalar_value(tensor.value(), variable.strength)) if not tensor.rank else Held(tensor)
    return Held(tensor, variable.buffer if variable.is_owned else Buffer(is_input=True))


def _own_results(variables: list[CarriedVariable]) -> None:
    """After at least one iteration a variable is where the last one left it."""
    for variable in variables:
        if variable.ends_owned and not variable.is_owned:
            variable.buffer, variable.is_owned = Buffer(), True


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


def _forget_contents(frame: Frame, name: str) -> None:
    """A name that a body assigns and the loop does not carry keeps its memory, but nobody knows what is in it."""
    held = frame.values.get(name)
    if not isinstance(held, Held) or held.buffer is None or held.is_window or held.buffer.is_input:
        frame.unbind(name)
        return
    unknown = array(f"unknown {fresh('cells')}", held.tensor.shape, held.tensor.dtype)
    frame.values[name] = held.with_tensor(unknown, None)


def _check_untouched(names: set[str], end: Frame, statement: ast.For) -> None:
    """What the body reads and does not carry must be the same in every iteration."""
    touched = names & end.lost
    if touched:
        raise CheckFailure(MEMORY, f"the loop changes the memory of {min(touched)}", statement.lineno)
