"""Symbolic execution of a block of tensor operations: every value is computed once, by the meaning of a row.

The proof of an emitted MLIR program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.scf import ForOp
from xdsl.traits import IsTerminator

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, SymbolicTensor, array, scalar_value
from tensorlift.ops.dtypes import UNSIGNED, cell_text, signed, wrap
from tensorlift.poly.affine import Affine
from tensorlift.proofs.counterparts import CutExecution
from tensorlift.proofs.failure import INTERFACE, CheckFailure
from tensorlift.proofs.proof import Proof
from tensorlift.proofs.tensor_text.arguments import (
    attribute_value,
    element_type,
    imported_result,
    listed_cells,
    result_type,
)
from tensorlift.proofs.tensor_text.compactions import compacted, compaction
from tensorlift.proofs.tensor_text.kept_loops import TextLoops
from tensorlift.proofs.tensor_text.read import TextFunction, read_function
from tensorlift.proofs.tensor_text.rows import row_folds, rows_folded
from tensorlift.proofs.tensor_text.stores import store_nest, updated
from tensorlift.proofs.tensor_text.structured import Structured
from tensorlift.proofs.values import Held, Item
from tensorlift.targets.imported import is_list
from tensorlift.targets.mlir_text.rows import attributes_of, given_to, operands_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.ir import Attribute, Block, Operation, SSAValue

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.cut import Cut
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.obligations import Ledger
    from tensorlift.targets.target import OpRow, Target


_CONSTANTS = {"stablehlo.constant", "arith.constant"}

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
        values.update(zip(op.results, self.results(op, values), strict=True))

    def results(self, op: Operation, values: Values) -> list[Held]:
        """Return the results of an operation; an imported one may have several."""
        row = self.target.row(op.name)
        if row is None or not row.instances or row.form is None:
            return [self.operation(op, values)]
        return [self._imported(row, op, values, place) for place in range(len(op.results) or 1)]

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
            return self._imported(row, op, values, 0)
        if row is None or len(op.results) != 1 or op.successors:
            self.ledger.refuse(f"'{op.name}' is no operation of the target {self.target.name} with one result")
        result = row.meaning(self.ledger, *self._operands_of(row, op, values), **self._named(row, op, values))
        assert isinstance(result, SymbolicTensor)
        self.check_is(op.results[0].type, result, op.name)
        return Held(result)

    def _imported(self, row: OpRow, op: Operation, values: Values, place: int) -> Held:
        tensors = [operand for operand in op.operands if not is_list(operand)]
        if any(operand not in values for operand in tensors):
            self.ledger.refuse(f"{op.name}: an operand has no value here")
        result = imported_result(row, op, [values[operand] for operand in tensors], self.ledger, place)
        self.check_is(op.results[place].type, result, op.name)
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
            rows = None if any(map(self._execution.cuts_of, op.regions[-1].block.args)) else row_folds(op)
            if rows is not None:
                values[op.results[1]] = self._execution.named(op.results[1], rows_folded(self, rows, values))
                return
            values.update(zip(op.results, self._execution.loops.prove(op, values), strict=True))
        else:
            for result, held in zip(op.results, self.results(op, values), strict=True):
                values[result] = self._execution.named(result, held)

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
