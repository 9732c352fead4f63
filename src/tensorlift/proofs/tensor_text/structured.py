"""What the meaning of an operation around Linalg is called with: operands and attributes by their names in MLIR.

A row's meaning names its parameters as upstream names operands and attributes, and says by their kinds how to read
them.  Cells without a value, those of a new tensor, are never read: they may only be written over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    StringAttr,
    TensorType,
)

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Shape, SymbolicTensor, affine_of, domain_of
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, equal
from tensorlift.proofs.tensor_text.arguments import attribute_value, integer, integers, real, spelled_number, whole
from tensorlift.proofs.values import Held, cell_names, cells_of
from tensorlift.targets.mlir_text.operations import dtype_of
from tensorlift.targets.mlir_text.rows import Body, Result, is_index
from tensorlift.targets.target import Memory, OpRow, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Attribute, Block, Operation, SSAValue

    from tensorlift.proofs.obligations import Ledger

Values = dict["SSAValue", Held]

_INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_FLOAT_PREDICATES = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
)  # fmt: skip
_OPEN = -(1 << 63)  # an extent or a size that the text leaves to an operand
_SEGMENTS = "operandSegmentSizes"


class Structured:
    """Evaluates operations of rows of Linalg and of the dialects beside it."""

    def __init__(self, target: Target, ledger: Ledger) -> None:
        self.target = target
        self.ledger = ledger

    def operation(self, row: OpRow, op: Operation, values: Values, space: Shape | None = None) -> Held:
        """Return the result of an operation; ``space`` has the extents of the iteration space around it."""
        if len(op.results) != 1 or op.successors:
            self.ledger.refuse(f"'{op.name}' has another number of results than one")
        reading = _Reading(self, row, op, values, space)
        arguments = {parameter.name: reading.argument(parameter.name, parameter.kind) for parameter in row.parameters}
        reading.check_all_known()
        result = row.meaning(self.ledger, **arguments)
        assert isinstance(result, SymbolicTensor)
        self.check_is(op.results[0].type, result, op.name, in_body=space is not None)
        return Held(result, blank=self._blank(row, op, values, arguments, result))

    def _blank(
        self, row: OpRow, op: Operation, values: Values, arguments: Mapping[str, Any], result: SymbolicTensor
    ) -> Domain | None:
        """Return the cells of a result that have no values, None where all have."""
        if row.memory is Memory.BLANK:
            return Domain.box(cell_names(result.rank), result.shape)
        blank = values[op.dest].blank if "dest" in arguments else None  # type: ignore[attr-defined]  # a row's parameters are the operation's
        if blank is None:
            return None
        source = next(name for name in ("source", "scalar") if name in arguments)
        given: SymbolicTensor = arguments[source]
        marks = {
            "dest": SymbolicTensor(result.shape, "bool", lambda _: terms.zero("bool")),
            source: SymbolicTensor(given.shape, "bool", lambda _: terms.one("bool")),
        }
        marked = row.meaning(self.ledger, **{**arguments, **marks})
        assert isinstance(marked, SymbolicTensor)
        written = domain_of(marked.at(cells_of(marked)))
        rest = blank if written is None else blank - written
        return None if (rest & self.ledger.context).is_empty() else rest

    def check_is(self, stated: Attribute, value: SymbolicTensor, name: str, *, in_body: bool = False) -> None:
        """Demand that a value is of the type that the text states; in a body a number stands for one at each point."""
        extents = stated.get_shape() if isinstance(stated, TensorType) else ()
        if isinstance(stated, TensorType):
            dtype = dtype_of(stated.element_type)
            if len(extents) != value.rank or is_index(value):
                self.ledger.refuse(f"{name}: the text states another rank than {value.rank}")
        else:
            dtype = "i64" if isinstance(stated, IndexType) else dtype_of(stated)
            if (value.rank and not in_body) or isinstance(stated, IndexType) != is_index(value):
                self.ledger.refuse(f"{name}: the text states a number, or an index, where there is none")
        if dtype != value.dtype:
            self.ledger.refuse(f"{name}: the text states another element type than {value.dtype}")
        for extent, number in zip(value.shape, extents, strict=False):
            if number >= 0 and extent != number:
                self.ledger.require("an extent is the one that the text states", equal(extent, Affine(number)))

    # -- regions

    def region(self, op: Operation, values: Values) -> Body:
        """Return the region of an operation."""
        if len(op.regions) != 1 or len(op.regions[0].blocks) != 1:
            self.ledger.refuse(f"{op.name}: no region of one block")
        block = op.regions[0].block

        def apply(*arguments: SymbolicTensor) -> tuple[SymbolicTensor, ...]:
            if len(arguments) != len(block.args):
                self.ledger.refuse(f"{op.name}: a region with another number of arguments")
            for argument, value in zip(block.args, arguments, strict=True):
                self.check_is(argument.type, value, op.name, in_body=True)
            inner = dict(values) | {a: Held(v) for a, v in zip(block.args, arguments, strict=True)}
            return self._yielded(block, inner, arguments[-1].shape)

        return Body(apply, tuple(any(True for _ in argument.uses) for argument in block.args))

    def _yielded(self, block: Block, values: Values, space: Shape) -> tuple[SymbolicTensor, ...]:
        end = block.last_op
        if end is None or end.name != "linalg.yield":
            self.ledger.refuse("a region without an end")
        for op in block.ops:
            if op is not end:
                values[op.results[0]] = self.operation(self.row(op.name), op, values, space)
        return tuple(self.value(operand, values) for operand in end.operands)

    def short(self, name: str, op: Operation) -> Body:
        """Return a region that is a single operation on its arguments."""
        row = self.row(name)
        if any(parameter.kind != "Scalar" for parameter in row.parameters):
            self.ledger.refuse(f"{op.name}: {name} is no function of numbers alone")

        def apply(*arguments: SymbolicTensor) -> tuple[SymbolicTensor, ...]:
            if len(arguments) != len(row.parameters):
                self.ledger.refuse(f"{op.name}: {name} takes another number of operands")
            result = row.meaning(self.ledger, *arguments)
            assert isinstance(result, SymbolicTensor)
            return (result,)

        return Body(apply, ())

    def row(self, name: str) -> OpRow:
        """Return the row of an operation."""
        row = self.target.row(name)
        if row is None:
            self.ledger.refuse(f"'{name}' is no operation of the target {self.target.name}")
        return row

    def value(self, operand: SSAValue, values: Mapping[SSAValue, Held]) -> SymbolicTensor:
        """Return an operand, all of whose cells must have values."""
        held = self.held(operand, values)
        if held.blank is not None:
            self.ledger.refuse("cells are read that have no value")
        return held.tensor

    def size(self, operand: SSAValue, values: Mapping[SSAValue, Held]) -> Affine:
        """Return an operand as a size."""
        try:
            return _size(self.value(operand, values))
        except TypeError:
            return self.ledger.refuse("an operand that is no size")

    def held(self, operand: SSAValue, values: Mapping[SSAValue, Held]) -> Held:
        """Return an operand."""
        held = values.get(operand)
        if held is None:
            self.ledger.refuse("an operand has no value here")
        return held


class _Reading:
    """Reads the arguments of one operation."""

    def __init__(self, home: Structured, row: OpRow, op: Operation, values: Values, space: Shape | None) -> None:
        self.home = home
        self.row = row
        self.op = op
        self.values = values
        self.space = space
        self.known = {_SEGMENTS, "inputs"}
        self.operands = 0

    def argument(self, name: str, kind: str) -> object:
        """Return an argument of a kind."""
        self.known.add(name)
        try:
            read = _KINDS.get(kind)
            return attribute_value(kind, self.op.properties[name]) if read is None else read(self, name)
        except (TypeError, ValueError, KeyError, AttributeError):
            return self.home.ledger.refuse(f"{self.op.name}: {name} is no {kind}")

    def check_all_known(self) -> None:
        """Demand that the meaning takes all that the text says."""
        for name, attribute in {**self.op.attributes, **self.op.properties}.items():
            is_plain = isinstance(attribute, FastMathFlagsAttr | IntegerOverflowAttr) and not attribute.data
            if name not in self.known and not is_plain:
                self.home.ledger.refuse(f"{self.op.name}: the attribute {name} is not known")
        if self.operands != len(self.op.operands):
            self.home.ledger.refuse(f"{self.op.name}: another number of operands")

    # -- operands

    def scalar(self, name: str) -> SymbolicTensor:
        """Return a number."""
        value = self._operand(getattr(self.op, name))
        if isinstance(getattr(self.op, name).type, TensorType):
            raise TypeError
        return value

    def tensor(self, name: str) -> SymbolicTensor:
        """Return a tensor."""
        operand = getattr(self.op, name)
        if not isinstance(operand.type, TensorType):
            raise TypeError
        if name == "dest" or not self.row.reads_cells:
            self.operands += 1
            return self.home.held(operand, self.values).tensor
        return self._operand(operand)

    def _operand(self, operand: SSAValue) -> SymbolicTensor:
        self.operands += 1
        return self.home.value(operand, self.values)

    def scalars(self, name: str) -> tuple[SymbolicTensor, ...]:
        """Return a list of numbers."""
        return tuple(map(self._operand, getattr(self.op, name)))

    def sizes(self, name: str) -> tuple[Affine, ...]:
        """Return a list of sizes."""
        return tuple(map(_size, self.scalars(name)))

    def mixed(self, name: str) -> tuple[Affine, ...]:
        """Return a list of sizes, of which the text spells some."""
        static = f"static_{name}"
        self.known.add(static)
        spelled = integers(self.op.properties[static])
        named = list(self.sizes(name))
        return tuple(named.pop(0) if v == _OPEN else Affine(v) for v in spelled)

    def inputs(self, name: str) -> tuple[SymbolicTensor, ...]:
        """Return the operands of a structured operation; one that its region does not read may have no values."""
        uses = self._uses()
        return tuple(self._used(o, k, uses) for k, o in enumerate(getattr(self.op, name)))

    def outs(self, name: str) -> tuple[SymbolicTensor, ...]:
        """Return what a structured operation writes over."""
        uses, count = self._uses(), len(self.op.operands) - len(getattr(self.op, name))
        return tuple(self._used(o, count + k, uses) for k, o in enumerate(getattr(self.op, name)))

    def _uses(self) -> tuple[bool, ...]:
        if self.op.regions:
            return self.home.region(self.op, self.values).uses
        reads = len(self.op.operands) - 1
        return (*(True,) * reads, self.row.reads_outs)

    def _used(self, operand: SSAValue, position: int, uses: Sequence[bool]) -> SymbolicTensor:
        if position < len(uses) and uses[position]:
            return self._operand(operand)
        self.operands += 1
        return self.home.held(operand, self.values).tensor

    # -- attributes

    def body(self, name: str) -> Body:
        """Return a region, or a single operation in its place."""
        combiner = self.op.properties.get(name)
        if isinstance(combiner, StringAttr):
            return self.home.short(combiner.data, self.op)
        return self.home.region(self.op, self.values)

    def predicate(self, name: str) -> str:
        """Return the name of a comparison."""
        names = _FLOAT_PREDICATES if self.op.name == "arith.cmpf" else _INTEGER_PREDICATES
        return names[integer(self.op.properties[name])]

    def result(self, _: str) -> Result:
        """Return the type that the text states for the result."""
        return _stated(self.op.results[0].type)

    def number(self, name: str) -> SymbolicTensor:
        """Return a number that the text spells."""
        value = self.op.properties[name]
        return _everywhere(value) if isinstance(value, DenseIntOrFPElementsAttr) else spelled_number(value)

    def extents(self, _: str) -> Shape:
        """Return the extents of the iteration space around."""
        if self.space is None:
            raise TypeError
        return self.space


def _size(value: SymbolicTensor) -> Affine:
    found = affine_of(value.value()) if is_index(value) and not value.rank else None
    if found is None:
        raise TypeError
    return found


def _everywhere(value: DenseIntOrFPElementsAttr) -> SymbolicTensor:
    """Return a tensor that has one number everywhere."""
    kind = _stated(value.type)
    shape = tuple(map(Affine, kind.extents))  # type: ignore[arg-type]  # the extents of a constant are numbers
    if not value.is_splat() or not kind.is_tensor:
        raise TypeError
    number = value.get_values()[0]
    if isinstance(number, tuple):
        raise TypeError
    cell = real(number, kind.dtype) if isinstance(number, float) else whole(number, kind.dtype)
    return SymbolicTensor(shape, kind.dtype, lambda _: cell)


def _stated(kind: Attribute) -> Result:
    if isinstance(kind, IndexType):
        return Result("i64", is_index=True)
    is_tensor = isinstance(kind, TensorType)
    dtype = dtype_of(kind.element_type if isinstance(kind, TensorType) else kind)
    if dtype is None:
        raise TypeError
    extents = kind.get_shape() if isinstance(kind, TensorType) else ()
    return Result(dtype, tuple(e if e >= 0 else None for e in extents), is_tensor=is_tensor)


_KINDS: dict[str, Callable[[_Reading, str], object]] = {
    "Scalar": _Reading.scalar, "Tensor": _Reading.tensor, "Scalars": _Reading.scalars, "Open": _Reading.sizes,
    "Mixed": _Reading.mixed, "Inputs": _Reading.inputs, "Outs": _Reading.outs, "Body": _Reading.body,
    "Predicate": _Reading.predicate, "Result": _Reading.result, "Number": _Reading.number,
    "Extents": _Reading.extents,
}  # fmt: skip
