"""The loops that a summary keeps, proved by induction, and the variables of a program that hold what they carry.

Of these: which they are, and whose memory they have.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import KeptLoop
from tensorlift.comprehension.domain import Domain, at_least, less
from tensorlift.comprehension.tensor import Strength, array, convert, scalar_value
from tensorlift.comprehension.terms import Constant
from tensorlift.ops.dtypes import integer_range, is_float, is_integer
from tensorlift.proofs.failure import LOOP, MEMORY, CheckFailure
from tensorlift.proofs.obligations import by_cases
from tensorlift.proofs.values import Buffer, Frame, Held

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from tensorlift.comprehension.definition import ArrayInfo, Carried
    from tensorlift.comprehension.definition import Item as SummaryItem
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.counterparts import CutExecution
    from tensorlift.proofs.execute import Execution
    from tensorlift.proofs.values import Item


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
            iterations = inside & Domain.strided(kept.variable, kept.lower, kept.step)
            by_cases(outside & iterations, prove, translated=translated)
        execution.surroundings.leave()
        ledger.within(outside)
        definitions.opaque = opaque


def _loops_among(items: Sequence[SummaryItem]) -> list[KeptLoop]:
    return [item for item in items if isinstance(item, KeptLoop)]


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

    def known(self) -> Held:
        """Return the carried array by its name, in its own memory or in memory that may not be written."""
        tensor = array(self.carried.name, self.info.shape, self.info.dtype)
        if self.strength is not Strength.STRONG:
            return Held(scalar_value(tensor.value(), self.strength))
        if self.is_owned:
            return Held(tensor, self.buffer)
        is_input = tensor.rank > 0 or (self.buffer is not None and self.buffer.is_input)
        return Held(tensor, Buffer(is_input=is_input), is_window=True)

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
