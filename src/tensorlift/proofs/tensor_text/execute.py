"""Symbolic execution of a block of tensor operations: every value is computed once, by the meaning of a row.

The proof of an emitted MLIR program.

Loops over tensors in MLIR against the loops that the summary keeps, by induction over iterations.

Of a counting loop, ``scf.for``, the range must be that of the kept loop.  Of a ``while`` the first value counts:
it starts at the loop's lower bound, an iteration adds its step, and the condition holds exactly below its upper bound.
Of the other values those count that a cut names as an array which the kept loop carries: they must be the version
before at the start, and if they are what an iteration starts from, one must make them what it ends with.  Then they are
the arrays after the loop.  Nothing is known of any other carried value but its type and its extents, which stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.scf import ForOp
from xdsl.traits import IsTerminator

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, SymbolicTensor, affine_of, array, domain_of, scalar_value, size
from tensorlift.comprehension.terms import index
from tensorlift.ops.dtypes import UNSIGNED, cell_text, signed, wrap
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.counterparts import CutExecution
from tensorlift.proofs.failure import INTERFACE, LOOP, UNREADABLE, CheckFailure
from tensorlift.proofs.loops import KeptLoops, is_version
from tensorlift.proofs.proof import Proof
from tensorlift.proofs.tensor_text.arguments import (
    attribute_value,
    element_type,
    imported_result,
    listed_cells,
    result_type,
)
from tensorlift.proofs.tensor_text.compactions import compacted, compaction
from tensorlift.proofs.tensor_text.read import TextFunction, read_function
from tensorlift.proofs.tensor_text.stores import store_nest, updated
from tensorlift.proofs.tensor_text.structured import Structured
from tensorlift.proofs.values import Held, Item, cell_names
from tensorlift.targets.imported import is_list
from tensorlift.targets.mlir_text.rows import attributes_of, given_to, operands_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Attribute, Block, Operation, SSAValue

    from tensorlift.comprehension.definition import ArrayInfo, Carried, KeptLoop, Summary
    from tensorlift.comprehension.definition import Item as SummaryItem
    from tensorlift.ir.cut import Cut
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.obligations import Ledger
    from tensorlift.targets.target import OpRow, Target


_COUNTER: DType = "i64"
_CONSTANTS = {"stablehlo.constant", "arith.constant"}
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


Values = dict["SSAValue", Held]
_RETURN = "func.return"


class Evaluation:
    """Evaluates operations with the meanings of a target's rows; ``lines`` are those on which values are computed."""

    def __init__(self, target: Target, ledger: Ledger, lines: Mapping[SSAValue, int] | None = None) -> None:
        self.target = target
        self.ledger = ledger
        self.lines = lines or {}
        self.structured = Structured(target, ledger)

    def statements(self, block: Block, values: Values, *, is_function: bool) -> tuple[Held, ...]:
        """Return what a block gives out, that of a function or of a region."""
        end = block.last_op
        if end is None or not end.has_trait(IsTerminator) or (end.name == _RETURN) is not is_function:
            self.ledger.refuse("a function or a region without an end")
        for op in block.ops:
            if op is not end and not (op.results and all(map(is_list, op.results))):
                self.ledger.line = self.lines.get(op.results[0], self.ledger.line) if op.results else self.ledger.line
                self.statement(op, values)
        self.operands(end, values)
        return tuple(values[operand] for operand in end.operands)

    def statement(self, op: Operation, values: Values) -> None:
        """Give values to the results of an operation."""
        held = self.operation(op, values)
        values[op.results[0]] = held

    def operands(self, op: Operation, values: Mapping[SSAValue, Held]) -> list[SymbolicTensor]:
        """Return the operands of an operation, which must be computed before it."""
        if any(operand not in values for operand in op.operands):
            self.ledger.refuse(f"{op.name}: an operand has no value here")
        return [values[operand].tensor for operand in op.operands]

    def operation(self, op: Operation, values: Values) -> Held:
        """Return the result of an operation, which must be of the type that the text states."""
        row = self.target.row(op.name)
        if row is not None and row.form is None:
            return self.structured.operation(row, op, values)
        if row is not None and row.instances:
            return self._imported(row, op, values)
        if row is None or len(op.results) != 1 or op.successors:
            self.ledger.refuse(f"'{op.name}' is no operation of the target {self.target.name} with one result")
        result = row.meaning(self.ledger, *self._operands_of(row, op, values), **self._named(row, op, values))
        assert isinstance(result, SymbolicTensor)
        self.check_is(op.results[0].type, result, op.name)
        return Held(result)

    def _imported(self, row: OpRow, op: Operation, values: Values) -> Held:
        tensors = [operand for operand in op.operands if not is_list(operand)]
        if any(operand not in values for operand in tensors):
            self.ledger.refuse(f"{op.name}: an operand has no value here")
        result = imported_result(row, op, [values[operand] for operand in tensors], self.ledger)
        self.check_is(op.results[0].type, result, op.name)
        return Held(result)

    def _operands_of(self, row: OpRow, op: Operation, values: Values) -> list[SymbolicTensor]:
        found = self.operands(op, values)
        wanted, takes_many = len(operands_of(row)), any(p.is_variadic for p in row.parameters)
        if len(found) < wanted or (len(found) > wanted and not takes_many):
            self.ledger.refuse(f"{row.spelling}: another number of operands")
        return found

    def _named(self, row: OpRow, op: Operation, values: Values) -> dict[str, Any]:
        """Return the attributes by name, the type of the result and the region, where the meaning takes them."""
        given = {**op.attributes, **op.properties}
        named: dict[str, Any] = {}
        region = given_to(row, "Region")
        try:
            for name, kind in attributes_of(row).items():
                if name in given:
                    named[name] = attribute_value(kind, given.pop(name))
            for kind, read in (("ResultType", result_type), ("ElementType", element_type)):
                if given_to(row, kind):
                    named[given_to(row, kind)] = read(op.results[0].type)
        except (TypeError, ValueError):
            self.ledger.refuse(f"{row.spelling}: an attribute or a type that it does not take")
        required = {p.name for p in row.parameters if not p.is_optional}
        missing = [name for name in attributes_of(row) if name not in named and name in required]
        if missing or given:
            self.ledger.refuse(f"{row.spelling}: the attribute {min(missing or given)} is missing or not known")
        if len(op.regions) != bool(region):
            self.ledger.refuse(f"{row.spelling}: another number of regions")
        if region:
            named[region] = self._region(op, values)
        return named

    def _region(self, op: Operation, values: Values) -> Any:
        if len(op.regions[0].blocks) != 1:
            self.ledger.refuse(f"{op.name}: a region of several blocks")
        block = op.regions[0].block

        def apply(*arguments: SymbolicTensor) -> SymbolicTensor:
            if len(arguments) != len(block.args):
                self.ledger.refuse(f"{op.name}: a region with another number of arguments")
            for argument, value in zip(block.args, arguments, strict=True):
                self.check_is(argument.type, value, op.name)
            inner = dict(values) | {a: Held(v) for a, v in zip(block.args, arguments, strict=True)}
            results = self.statements(block, inner, is_function=False)
            if len(results) != 1:
                self.ledger.refuse(f"{op.name}: a region that does not give one value")
            return results[0].tensor

        return apply

    def check_is(self, stated: Attribute, value: SymbolicTensor, name: str) -> None:
        """Demand that a value is of the type that the text states; an open extent may be any."""
        if not self.target.has_numbers and not isinstance(stated, TensorType):
            self.ledger.refuse(f"{name}: the text states another rank than {value.rank}")
        self.structured.check_is(stated, value, name)


def _arguments(op: Operation) -> list[SSAValue]:
    """Return what a loop carries."""
    return list(op.body.block.args) if isinstance(op, ForOp) else []


class _CutEvaluation(Evaluation):
    """Evaluates operations, loops among them, and uses what is claimed of their results."""

    def __init__(self, execution: TextExecution, target: Target, lines: Mapping[SSAValue, int]) -> None:
        super().__init__(target, execution.ledger, lines)
        self._execution = execution

    def statement(self, op: Operation, values: Values) -> None:
        """Give values to the results of an operation."""
        table = self._execution.table(op)
        if table is not None:
            values[op.results[0]] = table
        elif op.name in self.target.loops:
            self.operands(op, values)
            held = None if any(map(self._execution.cuts_of, _arguments(op))) else self._stored(op, values)
            if held is not None:
                values[op.results[0]] = self._execution.named(op.results[0], held)
                return
            values.update(zip(op.results, self._execution.loops.prove(op, values), strict=True))
        else:
            values[op.results[0]] = self._execution.named(op.results[0], self.operation(op, values))

    def _stored(self, op: Operation, values: Values) -> Held | None:
        """Return the result of a loop that is one store; None for others."""
        nest, kept = store_nest(op), compaction(op)
        if nest is not None:
            return updated(self, nest, values)
        return None if kept is None else compacted(self, kept, values)


class TextExecution(CutExecution):
    """Executes the function of a text."""

    def __init__(self, proof: TextProof, function: TextFunction, cuts: Sequence[Cut]) -> None:
        super().__init__(proof.ledger, proof.definitions, proof.counterparts)
        lines = {value: line for value, (_, line) in function.names.items()}
        self.evaluation = _CutEvaluation(self, proof.target, lines)
        self.loops = TextLoops(self, proof.summary.items)
        self._function = function
        self._is_signless = proof.target.is_signless
        self._cuts: dict[str, list[Cut]] = {}
        for cut in cuts:
            self._cuts.setdefault(cut.variable, []).append(cut)

    def run(self, parameters: Mapping[str, Held]) -> tuple[Held, ...]:
        """Return the values that the function returns."""
        values: Values = {}
        for argument, (name, held) in zip(self._function.body.args, parameters.items(), strict=True):
            values[argument] = self.as_text(held)
            self._check_parameter(name, argument.type, values[argument])
        return self.evaluation.statements(self._function.body, values, is_function=True)

    def table(self, op: Operation) -> Held | None:
        """Return the table of the source that a constant is, by its name, type and cells; None for any other value."""
        name = self._function.names[op.results[0]][0] if op.name in _CONSTANTS else ""
        info, of_type = self.definitions.arrays.get(name), op.results[0].type
        cells = listed_cells(op.properties.get("value"), of_type)
        if info is not None and info.dtype in UNSIGNED:
            cells = [wrap(int(v), info.dtype) for v in cells]
        if info is None or not info.contents or tuple(cell_text(v, info.dtype) for v in cells) != info.contents:
            return None
        held = self.as_text(Held(array(name, info.shape, info.dtype)))
        self.evaluation.check_is(of_type, held.tensor, name)
        return held

    def give_out(self, block: Block, values: Values) -> tuple[Held, ...]:
        """Return what the block of a loop gives out."""
        return self.evaluation.statements(block, values, is_function=False)

    def cuts_of(self, value: SSAValue) -> list[str]:
        """Return the definitions that a value is claimed to hold."""
        return [cut.definition for cut in self._cuts.get(self._function.names[value][0], ())]

    def named(self, value: SSAValue, held: Held) -> Held:
        """Use what is claimed of a value by its name."""
        for cut in self._cuts.get(self._function.names[value][0], ()):
            definition = self.definitions.by_name.get(cut.definition)
            stated = held if definition is None else self.as_stated(held, definition.dtype)
            known = self.cut(stated, cut)
            held = held if known is None else self.as_text(known)
        return held

    def as_text(self, held: Held) -> Held:
        """Return a value of the source as the text has it: where integers have no sign there, as signed ones."""
        return self._of_type(held, signed(held.tensor.dtype)) if self._is_signless else held

    def as_stated(self, held: Held, dtype: DType) -> Held:
        """Return a value of the text in a type of the source, where that has the same bits."""
        is_same = self._is_signless and signed(dtype) == held.tensor.dtype and held.tensor.is_strong
        return self._of_type(held, dtype) if is_same else held

    def _of_type(self, held: Held, dtype: DType) -> Held:
        tensor = held.tensor
        if tensor.dtype == dtype:
            return held
        cells = SymbolicTensor(tensor.shape, dtype, lambda at: terms.cast(tensor.at(at), dtype), tensor.strength)
        return held.with_tensor(cells, held.blank)

    def _check_parameter(self, name: str, kind: Attribute, held: Held) -> None:
        try:
            self.evaluation.check_is(kind, held.tensor, name)
        except CheckFailure as failure:
            reason = failure.reason.partition(": ")[2]
            message = f"the parameter {name} is of another type than in the source: {reason}"
            raise CheckFailure(INTERFACE, message) from None


class TextProof(Proof):
    """A program in MLIR's text against one summary; its scalars are tensors of rank 0."""

    scalar_strength = Strength.STRONG

    def __init__(self, text: str, entry: str, summary: Summary, target: Target, cuts: Sequence[Cut]) -> None:
        super().__init__(summary, target, cuts)
        self.function = read_function(text, entry, target)

    def size(self, name: str) -> SymbolicTensor:
        """Return a size: an index, or where all values are tensors one of 64 bits, whose arithmetic wraps."""
        if self.target.has_numbers:
            return super().size(name)
        return scalar_value(terms.index(Affine.var(name), "i64"), Strength.STRONG)

    def execute(self) -> tuple[TextExecution, Item]:
        """Execute the function with names of the source as its parameters."""
        execution = TextExecution(self, self.function, self.cuts)
        returned = execution.run(self.parameters(self.function.parameters))
        if self.target.is_signless and len(returned) == len(self.results):
            returned = tuple(
                execution.as_stated(held, self.form_of(version)[1])
                for held, (_, version) in zip(returned, self.results, strict=True)
            )
        return execution, returned[0] if len(returned) == 1 else returned
