"""Translates operations one by one: what each value of the source is, and the operations emitted for it.

Index computations are not copied but evaluated: an index is a linear expression over sizes and loop variables, whatever
chain of ``arith``, ``affine`` and ``index_cast`` operations computed it.  Everything else is emitted at the end of the
innermost open block.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    i32,
)
from xdsl.ir import Block, Operation, Region
from xdsl.ir.affine import AffineMap

from tensorlift.frontends.mlir.atoms import Atoms, NotAffineError, Quotient, Size, Variable
from tensorlift.frontends.mlir.names import Names
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.shapes import Needs
from tensorlift.frontends.mlir.values import Access, Loop, Memory, Scalar, View
from tensorlift.ir.location import location_of
from tensorlift.ir.subscripts import STRUCTURED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from xdsl.ir import Attribute, SSAValue
    from xdsl.ir.affine import AffineConstraintExpr

    from tensorlift.frontends.mlir.agreement import Agreement
    from tensorlift.frontends.mlir.values import Known
    from tensorlift.poly.affine import Affine


INDEX = IndexType()
EMPTY_MAP = AffineMapAttr(AffineMap(0, 0, ()))
_WIDTHS = {1, 8, 16, 32, 64}
_NESTING = 100


Rule: TypeAlias = "Callable[[Translator, Operation], Known | None]"


class Translator:
    """The state of one function's translation."""

    def __init__(self, entry: Block, functions: Mapping[str, Operation], handlers: Mapping[str, Rule]) -> None:
        """Emit into ``entry``; ``functions`` are those of the module, by name, ``handlers`` give what a result is."""
        self.functions = functions
        self.handlers = handlers
        self.atoms = Atoms()
        self.needs = Needs(self.atoms)
        self.entry = entry
        self.known: dict[SSAValue, Known] = {}
        self.body: Block | None = None  # of the function, in the source
        self.agreement: Agreement | None = None
        self.memories: list[Memory] = []
        self.loops: list[Loop] = []
        self.calls: list[str] = []
        self.points: dict[Block, list[Affine]] = {}  # the position that a body of Linalg is at
        self.asked: dict[tuple[str, int], Affine] = {}  # extents that the program asks for, by array and dimension
        self.used: set[str] = set()  # the atoms of sizes that some index needs
        self.blocks = [entry]
        self.names = Names()
        self.generalised: dict[str, int] = {}  # sizes that stand for a constant of the source
        self.added: list[str] = []  # the names of sizes that the source has no argument for

    # -- emission

    def emit(self, op: Operation, origin: Operation) -> None:
        """Append an operation that stands for one of the source."""
        op.location = origin.location
        self.blocks[-1].add_op(op)

    def emit_value(self, op: Operation, origin: Operation) -> SSAValue:
        """Append an operation and give its first result."""
        self.emit(op, origin)
        return op.results[0]

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Emit into a block."""
        if len(self.blocks) > _NESTING:
            raise refusal("depth", None)
        self.blocks.append(block)
        yield
        self.blocks.pop()

    # -- operations

    def block(self, block: Block) -> Operation:
        """Translate all operations of a block but the last, which is given back."""
        last = block.last_op
        if last is None:
            raise refusal("control", None, "an empty block is not lifted")
        for op in block.ops:
            if op is not last:
                self.operation(op)
        return last

    def operation(self, op: Operation) -> None:
        """Translate one operation."""
        handler = self.handlers.get(op.name)
        if handler is None:
            raise refusal("operation", location_of(op), op.name)
        try:
            found = handler(self, op)
        except NotAffineError as error:
            raise refusal("affine", location_of(op), str(error)) from None
        if found is not None:
            self.known[op.results[0]] = found

    # -- values

    def scalar(self, value: SSAValue) -> Scalar:
        """Give a number or index."""
        known = self.known[value]
        assert isinstance(known, Scalar)
        return known

    def view(self, value: SSAValue) -> View:
        """Give a memref."""
        known = self.known[value]
        assert isinstance(known, View)
        return known

    def index(self, value: SSAValue, op: Operation) -> Affine:
        """Give the exact form of an index that ``op`` uses."""
        scalar = self.scalar(value)
        if scalar.index is None:
            reason, detail = scalar.why
            raise refusal(reason, location_of(op), detail)
        for need in scalar.needs:
            self.needs.insist(need)
        self.use(scalar.index)
        return scalar.index

    def use(self, index: Affine) -> None:
        """Note that the sizes of an index are sizes indeed."""
        for name, _ in index.terms:
            atom = self.atoms.known[name]
            if isinstance(atom, Quotient):
                self.use(atom.numerator)
            else:
                self.used.add(name)

    def indices(self, values: Iterable[SSAValue], op: Operation) -> list[Affine]:
        """Give several indices."""
        return [self.index(value, op) for value in values]

    def bound(self, value: SSAValue, kind: str, op: Operation) -> tuple[Affine, ...]:
        """Give the bounds that an index stands for: several where it is their ``min`` or ``max``."""
        extremum = self.scalar(value).extremum
        if extremum is not None and extremum[0] == kind:
            for index in extremum[1]:
                self.use(index)
            return extremum[1]
        return (self.index(value, op),)

    def number(self, value: SSAValue, op: Operation) -> SSAValue:
        """Give what the emitted program holds for a value; an index is computed here."""
        scalar = self.scalar(value)
        if scalar.value is not None:
            return scalar.value
        if scalar.extremum is not None:
            kind, indices = scalar.extremum
            attribute, operands = self.atoms.map(indices)
            op_type = affine.MinOp if kind == "min" else _max_op()
            return self.emit_value(
                op_type.create(operands=operands, result_types=[INDEX], properties={"map": attribute}), op
            )
        return self.index_value(self.index(value, op), op)

    def index_value(self, index: Affine, op: Operation) -> SSAValue:
        """Emit an index as a value."""
        self.use(index)
        if not index.terms:
            constant = arith.ConstantOp.create(
                result_types=[INDEX], properties={"value": IntegerAttr(index.constant, INDEX)}
            )
            return self.emit_value(constant, op)
        atom = self.atoms.known[index.variable] if index.variable is not None else None
        if isinstance(atom, Size | Variable):
            return atom.value
        attribute, operands = self.atoms.map([index])
        return self.emit_value(affine.ApplyOp(operands, attribute), op)

    def constraint(
        self, item: AffineConstraintExpr, dims: Sequence[Affine], symbols: Sequence[Affine]
    ) -> tuple[Affine, bool]:
        """Give the index that a constraint says to be at least 0, or equal to it."""
        left, right = (self.atoms.applied(side, dims, symbols) for side in (item.lhs, item.rhs))
        return right - left if item.kind.value == "<=" else left - right, item.kind.value == "=="

    # -- loops and memory

    @contextmanager
    def loop(
        self, hint: str | None, lowers: tuple[Affine, ...], uppers: tuple[Affine, ...], step: int, op: Operation
    ) -> Iterator[Loop]:
        """Emit a loop around what is emitted inside."""
        block = Block(arg_types=[INDEX])
        block.args[0].name_hint = re.sub(r"\W", "_", hint or "i", flags=re.ASCII)
        made = affine.ForOp.create(
            properties={
                "lowerBoundMap": EMPTY_MAP,
                "upperBoundMap": EMPTY_MAP,
                "step": IntegerAttr(step, INDEX),
                "operandSegmentSizes": DenseArrayBase.from_list(i32, [0, 0, 0]),
            },
            regions=[Region(block)],
        )
        atom = self.atoms.add(hint or "i", Variable(block.args[0], lowers, uppers))
        found = Loop(made, atom.terms[0][0], lowers, uppers, step)
        self.loops.append(found)
        with self.inside(block):
            yield found
        terminator = affine.YieldOp.get()
        terminator.location = op.location
        block.add_op(terminator)
        self.emit(made, op)

    def cell(self, of_type: Attribute, hint: str | None, op: Operation) -> SSAValue:
        """Emit a local scalar."""
        made = memref.AllocaOp.create(
            result_types=[MemRefType(of_type, [])],
            properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [0, 0])},
            attributes={"tl.name": StringAttr(self.names.fresh(hint, "carried"))},
        )
        return self.emit_value(made, op)

    def load(self, view: View, indices: tuple[Affine, ...], op: Operation) -> SSAValue:
        """Emit a load."""
        made = affine.LoadOp.create(
            operands=[view.memory.value], result_types=[view.memory.element], properties={"map": EMPTY_MAP}
        )
        return self.emit_value(self._accessed(made, view, indices), op)

    def store(self, value: SSAValue, view: View, indices: tuple[Affine, ...], op: Operation) -> None:
        """Emit a store."""
        made = affine.StoreOp.create(operands=[value, view.memory.value], properties={"map": EMPTY_MAP})
        self.emit(self._accessed(made, view, indices), op)

    def _accessed(self, made: Operation, view: View, indices: tuple[Affine, ...]) -> Operation:
        places = view.at(indices)
        for place in places:
            self.use(place)
        view.memory.accesses.append(Access(made, places))
        return made

    def extent(self, view: View, dimension: int, op: Operation) -> Affine:
        """Give an extent; one that nothing else tells becomes a size of its own, read from the shape."""
        memory = view.memory
        axis = view.axes[dimension]
        known = view.extents[dimension] or memory.extents[axis]
        if known is not None:
            return known
        key = (memory.name, axis)
        if key not in self.asked:
            self.asked[key] = self._agreed(memory, axis) or self.new_size(f"{memory.name}_d{axis}", op)
        memory.extents[axis] = self.asked[key]
        return self.asked[key]

    def _agreed(self, memory: Memory, axis: int) -> Affine | None:
        """Give the extent that operations of Linalg demand, None where they demand none."""
        if self.agreement is None and self.body is not None and any(op.name in STRUCTURED for op in self.body.ops):
            from tensorlift.frontends.mlir.agreement import Agreement  # noqa: PLC0415 - rare, and its dialect takes time

            self.agreement = Agreement(self.body)
        return None if self.agreement is None else self.agreement.extent(memory, axis, self.known)

    def new_size(self, hint: str, origin: Operation) -> Affine:
        """Add an index argument at the end of the function."""
        argument = self.entry.insert_arg(INDEX, len(self.entry.args))
        name = self.names.fresh(hint, hint)
        argument.name_hint = name
        argument.location = origin.location
        self.added.append(name)
        index = self.atoms.add(name, Size(argument))
        self.use(index)
        return index


def _max_op() -> Any:
    from tensorlift.ir.dialects import AffineMaxOp  # noqa: PLC0415 - rare, and the module takes time to load

    return AffineMaxOp


def check_scalar(of_type: Attribute, op: Operation | None, place: Any = None) -> None:
    """Refuse types outside the loop IR."""
    known = isinstance(of_type, Float32Type | Float64Type | IndexType)
    if isinstance(of_type, IntegerType):
        known = of_type.width.data in _WIDTHS and of_type.signedness.data is Signedness.SIGNLESS
    if not known:
        raise refusal("type", location_of(op) if op is not None else place, f"the type {of_type}")
