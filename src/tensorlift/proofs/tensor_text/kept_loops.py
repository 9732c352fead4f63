"""Loops over tensors in MLIR against the loops that the summary keeps, by induction over iterations.

Of a counting loop, ``scf.for``, the range must be that of the kept loop.  Of a ``while`` the first value counts:
it starts at the loop's lower bound, an iteration adds its step, and the condition holds exactly below its upper bound.
Of the other values those count that a cut names as an array which the kept loop carries: they must be the version
before at the start, and if they are what an iteration starts from, one must make them what it ends with.  Then they are
the arrays after the loop.  Nothing is known of any other carried value but its type and its extents, which stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.scf import ForOp

from tensorlift.comprehension.tensor import SymbolicTensor, affine_of, array, domain_of, scalar_value, size
from tensorlift.comprehension.terms import index
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.failure import LOOP, UNREADABLE, CheckFailure
from tensorlift.proofs.loops import KeptLoops, is_version
from tensorlift.proofs.values import Held, cell_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Block, Operation, SSAValue

    from tensorlift.comprehension.definition import ArrayInfo, Carried, KeptLoop
    from tensorlift.comprehension.definition import Item as SummaryItem
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.tensor_text.execute import TextExecution


Values = dict["SSAValue", Held]
_COUNTER: DType = "i64"
_REGIONS = 2  # the condition and the body


class TextLoops:
    """Proves the loops of one program against those that the summary keeps."""

    def __init__(self, execution: TextExecution, items: Sequence[SummaryItem]) -> None:
        self.execution = execution
        self._ledger = execution.ledger
        self._kept = KeptLoops(items)

    def prove(self, op: Operation, values: Values) -> list[Held]:
        """Prove a loop and return its results.

        Raises:
            CheckFailure: where the loop is none of the summary's, or range, entry, condition or step are not proved.

        """
        return self._counting(op, values) if isinstance(op, ForOp) else self._while(op, values)

    def _while(self, op: Operation, values: Values) -> list[Held]:
        condition, body = self._blocks(op)
        asked = _asked(condition)
        kept, known = self._find(body.args, is_counted=asked is None)
        initial = [values[operand] for operand in op.operands]
        if asked is not None:
            return self._running(kept, known, initial, asked, body, values)
        counter = initial[0].tensor
        lower = affine_of(counter.value()) if not counter.rank and counter.dtype == _COUNTER else None
        if lower is None or not self._ledger.holds(equal(lower, kept.lower)):
            raise self._failure(f"the loop does not start at {kept.lower}")
        self._check_start(initial, known)
        after = [Held(self._known(known.get(place), start)) for place, start in enumerate(initial)]
        starts = [Held(scalar_value(index(Affine.var(kept.variable), _COUNTER))), *after[1:]]
        self._check_condition(kept, condition, dict(values) | dict(zip(condition.args, starts, strict=True)))

        def iterate() -> None:
            ends = self._executed(body, values, starts)
            following = affine_of(ends[0].tensor.value()) if ends and not ends[0].tensor.rank else None
            if len(ends) != len(starts) or following != Affine.var(kept.variable) + kept.step:
                raise self._failure(f"an iteration does not add {kept.step} to the counter")
            self._check_ends(starts, ends, known)

        self._prove_step(kept, iterate, known)
        return after

    def _running(  # noqa: PLR0913, PLR0917 - a loop of the program, and what is known of it
        self,
        kept: KeptLoop,
        known: dict[int, Carried],
        initial: list[Held],
        asked: int,
        body: Block,
        values: Values,
    ) -> list[Held]:
        """Prove a loop that runs as long as one of its values is true, and return its results."""
        if asked not in known or known[asked].name != kept.goes_on:
            raise self._failure("the loop does not go on as that of the summary does")
        self._check_start(initial, known)
        starts = [self._handed(known.get(place), start) for place, start in enumerate(initial)]

        def iterate() -> None:
            ends = self._executed(body, values, starts)
            if len(ends) != len(starts):
                raise self._failure("an iteration hands on another number of values")
            self._check_ends(starts, ends, known)

        self._prove_step(kept, iterate, known)
        return starts

    def _counting(self, op: ForOp, values: Values) -> list[Held]:
        evaluation = self.execution.evaluation
        structured = evaluation.structured
        variable, *arguments = op.body.block.args
        kept, known = self._find([variable, *arguments])
        lower, upper, step = (structured.size(operand, values) for operand in (op.lb, op.ub, op.step))
        if step != kept.step or not self._ledger.holds(equal(kept.lower, lower), equal(kept.upper, upper)):
            raise self._failure("the summary keeps no such loop here")
        counter = Held(size(Affine.var(kept.variable)))
        starts = [counter, *(structured.held(operand, values) for operand in op.iter_args)]
        self._check_start(starts, known)
        handed = [self._handed(known.get(place), start) for place, start in enumerate(starts) if place]
        for value, held in zip((*arguments, *op.results), handed * 2, strict=True):
            evaluation.check_is(value.type, held.tensor, op.name)

        def iterate() -> None:
            ends = self._executed(op.body.block, values, [counter, *handed])
            if len(ends) != len(handed):
                raise self._failure("an iteration hands on another number of values")
            self._check_ends([counter, *handed], [counter, *ends], known)

        self._prove_step(kept, iterate, known)
        return handed

    def _find(self, arguments: Sequence[SSAValue], *, is_counted: bool = True) -> tuple[KeptLoop, dict[int, Carried]]:
        """Return the summary's loop, and which carried array each value is first claimed to be.

        Of a loop that is counted the first value is what counts.
        """
        cuts = [self.execution.cuts_of(arg) if place >= is_counted else [] for place, arg in enumerate(arguments)]
        names = {name for names in cuts for name in names}
        kept = self._kept.take(names, lambda one: (one.goes_on is None) is is_counted, self._ledger.line)
        by_name = {c.name: c for c in kept.carried}
        found = ((place, [by_name[name] for name in names if name in by_name]) for place, names in enumerate(cuts))
        return kept, {place: listed[0] for place, listed in found if listed}

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

    def _check_start(self, initial: Sequence[Held], known: dict[int, Carried]) -> None:
        for place, carried in known.items():
            if not self._is_version(initial[place], carried, carried.before):
                raise self._failure(f"{carried.array} is not proved to be {carried.before} before the loop")

    def _known(self, carried: Carried | None, start: Held) -> SymbolicTensor:
        """Return a carried array by its name, or one of which nothing but the shape is known."""
        if carried is None:
            return array(f"unknown {fresh('cells')}", start.tensor.shape, start.tensor.dtype)
        info = self._info(carried)
        return self.execution.as_text(Held(array(carried.name, info.shape, info.dtype))).tensor

    def _is_version(self, held: Held, carried: Carried, version: str) -> bool:
        info = self._info(carried)
        return is_version(self.execution, self.execution.as_stated(held, info.dtype), info, version)

    def _handed(self, carried: Carried | None, start: Held) -> Held:
        """Return a carried array by its name, or cells of which nothing is known, those without a value among them."""
        tensor = self._known(carried, start)
        is_blank = carried is None and start.blank is not None
        return Held(tensor, blank=Domain.box(cell_names(tensor.rank), tensor.shape) if is_blank else None)

    def _info(self, carried: Carried) -> ArrayInfo:
        """Return type and shape of a carried array."""
        return self.execution.definitions.arrays[carried.array]

    def _check_condition(self, kept: KeptLoop, block: Block, values: Values) -> None:
        """Demand that the loop goes on exactly below the upper bound."""
        given = self.execution.give_out(block, values)
        holds = domain_of(given[0].tensor.value()) if len(given) == 1 and not given[0].tensor.rank else None
        reached = self._ledger.context & Domain.of(at_least(kept.variable, kept.lower))
        wanted = Domain.of(less(kept.variable, kept.upper))
        if holds is None or not (reached & holds).is_equal(reached & wanted):
            raise self._failure(f"the loop does not go on exactly below {kept.upper}")

    def _prove_step(self, kept: KeptLoop, iterate: Callable[[], None], known: dict[int, Carried]) -> None:
        self._kept.prove_step(self.execution, kept, iterate, translated=True)
        self._ledger.counts["an iteration keeps what the loop carries"] += len(known)

    def _executed(self, body: Block, values: Values, starts: Sequence[Held]) -> tuple[Held, ...]:
        """Execute the body once, for any value of the counter."""
        line = self._ledger.line
        ends = self.execution.give_out(body, dict(values) | dict(zip(body.args, starts, strict=True)))
        self._ledger.line = line
        return ends

    def _check_ends(self, starts: Sequence[Held], ends: Sequence[Held], known: dict[int, Carried]) -> None:
        """Demand that values are what the next iteration starts from."""
        for place, (before, end) in enumerate(zip(starts, ends, strict=True)):
            carried = known.get(place)
            if carried is None:
                same = end.tensor.dtype == before.tensor.dtype and self.execution.has_shape(end, before.tensor.shape)
                if not same or (end.blank is not None and before.blank is None):
                    raise self._failure("a value has another type or shape after an iteration")
            elif not self._is_version(end, carried, carried.after):
                raise self._failure(f"{carried.array} is not proved to be {carried.after} at the end of an iteration")

    def _failure(self, reason: str) -> CheckFailure:
        return CheckFailure(LOOP, reason, self._ledger.line)


def _asked(condition: Block) -> int | None:
    """Return which of its arguments the condition of a loop is, if that is all it says and it hands on all of them."""
    last = condition.last_op
    if last is None or condition.first_op is not last or not last.operands:
        return None
    asked, *handed = last.operands
    is_plain = not handed if last.name != "scf.condition" else handed == list(condition.args)
    return condition.args.index(asked) if is_plain and asked in condition.args else None
