"""Counting loops, ``scf.for`` in MLIR, against the loops that the summary keeps, by induction over iterations.

The range must be that of the kept loop; the values that the loop hands on are proved as those of a ``while``.  One of
which nothing is known keeps its type and its extents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.scf import ForOp

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, equal
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.tensor import array, size
from tensorlift.proofs.carried import is_version
from tensorlift.proofs.tensor_text.loops import TextLoops, carried_places
from tensorlift.proofs.values import Held, cell_names

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation

    from tensorlift.comprehension.definition import Carried, KeptLoop
    from tensorlift.proofs.tensor_text.execute import Values


class CountingLoops(TextLoops):
    """Proves the counting loops of one program."""

    def prove(self, op: Operation, values: Values) -> list[Held]:
        """Prove a loop and return its results.

        Raises:
            CheckFailure: where the loop is none of the summary's, or range, entry or step are not proved.

        """
        assert isinstance(op, ForOp)
        variable, *arguments = op.body.block.args
        names = [self.execution.cuts_of(argument) for argument in arguments]
        kept = self.find(names)
        self._check_range(kept, op, values)
        known = {place - 1: carried for place, carried in carried_places(kept, [[], *names]).items()}
        starts = [self.execution.evaluation.structured.held(operand, values) for operand in op.iter_args]
        for place, carried in known.items():
            if not is_version(self.execution, starts[place], self.info(carried), carried.before):
                raise self.failure(f"{carried.array} is not proved to be {carried.before} before the loop")
        handed = [self._handed(known.get(place), start) for place, start in enumerate(starts)]
        inner = dict(values) | dict(zip(arguments, handed, strict=True))
        inner[variable] = Held(size(Affine.var(kept.variable)))
        for value, held in zip((*arguments, *op.results), handed * 2, strict=True):
            self.execution.evaluation.check_is(value.type, held.tensor, op.name)
        self.prove_step(kept, op.body.block, inner, known)
        self.execution.ledger.counts["an iteration keeps what the loop carries"] += len(known)
        return handed

    def _check_range(self, kept: KeptLoop, op: ForOp, values: Values) -> None:
        structured, ledger = self.execution.evaluation.structured, self.execution.ledger
        lower, upper, step = (structured.size(operand, values) for operand in (op.lb, op.ub, op.step))
        if step != kept.step or not ledger.holds(equal(kept.lower, lower), equal(kept.upper, upper)):
            raise self.failure("the summary keeps no such loop here")

    def _handed(self, carried: Carried | None, start: Held) -> Held:
        """Return a carried array by its name, or cells of which nothing is known, those without a value among them."""
        if carried is not None:
            info = self.info(carried)
            return Held(array(carried.name, info.shape, info.dtype))
        tensor = array(f"unknown {fresh('cells')}", start.tensor.shape, start.tensor.dtype)
        return Held(tensor, blank=None if start.blank is None else Domain.box(cell_names(tensor.rank), tensor.shape))

    def iterate(self, kept: KeptLoop, body: Block, values: Values, known: dict[int, Carried]) -> None:  # noqa: ARG002 - the variable counts by itself
        """Execute the body once, for any value of the variable, and prove what it hands on."""
        line = self.execution.ledger.line
        _, *arguments = body.args
        starts = [values[argument] for argument in arguments]
        ends = self.execution.give_out(body, values)
        self.execution.ledger.line = line
        if len(ends) != len(starts):
            raise self.failure("an iteration hands on another number of values")
        for place, (before, held) in enumerate(zip(starts, ends, strict=True)):
            self._check_end(known.get(place), before, held)
