"""Loops over tensors, ``while`` in MLIR, against the loops that the summary keeps, by induction over iterations.

The first carried value counts: it starts at the loop's lower bound, an iteration adds its step, and the condition holds
exactly below its upper bound.  Of the other values those count that a cut names as an array which the kept loop
carries: they must be the version before at the start, and if they are what an iteration starts from, one must make
them what it ends with.  Then they are the arrays after the loop.  Nothing is known of any other carried value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, at_least, equal, less
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.tensor import SymbolicTensor, affine_of, array, domain_of, scalar_value
from tensorlift.comprehension.terms import index
from tensorlift.proofs.carried import is_version
from tensorlift.proofs.cases import by_cases
from tensorlift.proofs.failure import LOOP, UNREADABLE, CheckFailure
from tensorlift.proofs.loops import iterations, kept_loops
from tensorlift.proofs.values import Held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Block, Operation

    from tensorlift.comprehension.definition import ArrayInfo, Carried, Item, KeptLoop
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.tensor_text.execute import TextExecution, Values

_COUNTER: DType = "i64"
_REGIONS = 2  # the condition and the body


class TextLoops:
    """Proves the loops of one program; it remembers which kept loops of the summary are still to come."""

    def __init__(self, execution: TextExecution, items: tuple[Item, ...]) -> None:
        self.execution = execution
        self._ledger = execution.ledger
        self._pending: list[list[KeptLoop]] = [kept_loops(items)]

    def prove(self, op: Operation, values: Values) -> list[Held]:
        """Prove a loop and return its results.

        Raises:
            CheckFailure: where the loop is none of the summary's, or entry, condition or step are not proved.

        """
        condition, body = self._blocks(op)
        carried = [self.execution.cuts_of(argument) for argument in body.args]
        kept = self.find(carried)
        known = carried_places(kept, carried)
        initial = [values[operand] for operand in op.operands]
        self._check_start(kept, initial, known)
        arguments = self._arguments(kept, initial, known)
        self._check_condition(kept, condition, dict(values) | dict(zip(condition.args, arguments, strict=True)))
        self.prove_step(kept, body, dict(values) | dict(zip(body.args, arguments, strict=True)), known)
        self._ledger.counts["an iteration keeps what the loop carries"] += len(known)
        after = [self._known(known.get(place), start) for place, start in enumerate(initial)]
        return [Held(tensor) for tensor in after]

    def _blocks(self, op: Operation) -> tuple[Block, Block]:
        regions = [region for region in op.regions if len(region.blocks) == 1]
        kinds = [operand.type for operand in op.operands]
        blocks = [region.block for region in regions]
        is_whole = len(op.regions) == len(regions) == _REGIONS and not (op.properties or op.attributes or op.successors)
        same = [kinds == [value.type for value in block.args] for block in blocks]
        if not is_whole or not kinds or not all(same) or kinds != [result.type for result in op.results]:
            raise CheckFailure(
                UNREADABLE, f"{op.name}: not a condition and a body on the same values", self._ledger.line
            )
        return blocks[0], blocks[1]

    def find(self, carried: Sequence[Sequence[str]]) -> KeptLoop:
        """Return the summary's loop that carries the named arrays, else the next."""
        pending = self._pending[-1]
        names = {name for listed in carried for name in listed}
        chosen = next((kept for kept in pending if any(c.name in names for c in kept.carried)), None)
        if chosen is None and not pending:
            raise self.failure("the summary keeps no such loop here")
        chosen = chosen or pending[0]
        del pending[: pending.index(chosen) + 1]
        return chosen

    def _check_start(self, kept: KeptLoop, initial: Sequence[Held], known: dict[int, Carried]) -> None:
        counter = initial[0].tensor
        lower = affine_of(counter.value()) if not counter.rank and counter.dtype == _COUNTER else None
        if lower is None or not self._ledger.holds(equal(lower, kept.lower)):
            raise self.failure(f"the loop does not start at {kept.lower}")
        for place, carried in known.items():
            if not is_version(self.execution, initial[place], self.info(carried), carried.before):
                raise self.failure(f"{carried.array} is not proved to be {carried.before} before the loop")

    def _arguments(self, kept: KeptLoop, initial: Sequence[Held], known: dict[int, Carried]) -> list[Held]:
        """Return what an iteration starts from."""
        counter = scalar_value(index(Affine.var(kept.variable), _COUNTER))
        others = [self._known(known.get(place), start) for place, start in enumerate(initial) if place]
        return [Held(tensor) for tensor in (counter, *others)]

    def _known(self, carried: Carried | None, start: Held) -> SymbolicTensor:
        """Return a carried array by its name, or one of which nothing but the shape is known."""
        if carried is None:
            return array(f"unknown {fresh('cells')}", start.tensor.shape, start.tensor.dtype)
        info = self.info(carried)
        return array(carried.name, info.shape, info.dtype)

    def info(self, carried: Carried) -> ArrayInfo:
        """Return type and shape of a carried array."""
        return self.execution.definitions.arrays[carried.array]

    def _check_condition(self, kept: KeptLoop, block: Block, values: Values) -> None:
        """Demand that the loop goes on exactly below the upper bound."""
        given = self.execution.give_out(block, values)
        holds = domain_of(given[0].tensor.value()) if len(given) == 1 and not given[0].tensor.rank else None
        reached = self._ledger.context & Domain.of(at_least(kept.variable, kept.lower))
        wanted = Domain.of(less(kept.variable, kept.upper))
        if holds is None or not (reached & holds).is_equal(reached & wanted):
            raise self.failure(f"the loop does not go on exactly below {kept.upper}")

    def prove_step(self, kept: KeptLoop, body: Block, values: Values, known: dict[int, Carried]) -> None:
        """Prove what an iteration gives out; ``values`` are those that it starts from, among them carried arrays."""
        execution, ledger, definitions = self.execution, self._ledger, self.execution.definitions
        outside, opaque = ledger.context, set(definitions.opaque)
        execution.surroundings.enter(kept)

        def iterate(case: Domain) -> None:
            ledger.within(case)
            definitions.opaque = set(opaque)
            self._pending.append(kept_loops(kept.body))
            try:
                self.iterate(kept, body, dict(values), known)
            finally:
                self._pending.pop()

        with ledger.translating():
            by_cases(outside & iterations(kept), iterate, translated=True)
        execution.surroundings.leave()
        ledger.within(outside)
        definitions.opaque = opaque

    def iterate(self, kept: KeptLoop, body: Block, values: Values, known: dict[int, Carried]) -> None:
        """Execute the body once, for any value of the counter, and prove what it gives out."""
        line = self._ledger.line
        ends = self.execution.give_out(body, values)
        self._ledger.line = line
        following = affine_of(ends[0].tensor.value()) if ends and not ends[0].tensor.rank else None
        if len(ends) != len(body.args) or following != Affine.var(kept.variable) + kept.step:
            raise self.failure(f"an iteration does not add {kept.step} to the counter")
        for place, end in enumerate(ends):
            carried, before = known.get(place), values[body.args[place]].tensor
            if carried is None and (
                end.tensor.dtype != before.dtype or not self.execution.has_shape(end, before.shape)
            ):
                raise self.failure("a value has another type or shape after an iteration")
            if carried is not None and not is_version(self.execution, end, self.info(carried), carried.after):
                raise self.failure(f"{carried.array} is not proved to be {carried.after} at the end of an iteration")

    def _check_end(self, carried: Carried | None, before: Held, end: Held) -> None:
        """Demand that a value is what the next iteration starts from."""
        if carried is None:
            same = end.tensor.dtype == before.tensor.dtype and self.execution.has_shape(end, before.tensor.shape)
            if not same or (end.blank is not None and before.blank is None):
                raise self.failure("a value has another type or shape after an iteration")
        elif not is_version(self.execution, end, self.info(carried), carried.after):
            raise self.failure(f"{carried.array} is not proved to be {carried.after} at the end of an iteration")

    def failure(self, reason: str) -> CheckFailure:
        """Build the failure for a loop."""
        return CheckFailure(LOOP, reason, self._ledger.line)


def carried_places(kept: KeptLoop, carried: Sequence[Sequence[str]]) -> dict[int, Carried]:
    """Return which carried array each value is first claimed to be; the counter is none."""
    by_name = {c.name: c for c in kept.carried}
    found = ((place, [by_name[name] for name in names if name in by_name]) for place, names in enumerate(carried))
    return {place: listed[0] for place, listed in found if place and listed}
