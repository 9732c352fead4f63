"""The sink that emits the loop IR: every call of the symbolic execution becomes operations at the current place.

Loads and stores of arrays are emitted without memory and map; ``complete`` sets both, with the indices, once the shapes
are known.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import product
from math import isfinite
from typing import TYPE_CHECKING, Any

from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AffineMapAttr,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from tensorlift.ir.c_types import (
    INDEX,
    float_attribute,
    identifier,
    integer_attribute,
    ir_type,
    location_attribute,
    memref_type,
    segments,
)
from tensorlift.ir.left_early import marked
from tensorlift.ir.operations import (
    conversion_operation,
    operation_class,
    predicate,
    way_between,
)
from tensorlift.normalise.affine_maps import AffineMaps
from tensorlift.normalise.conditions import AffineCondition, Condition
from tensorlift.normalise.edit import move, remove
from tensorlift.normalise.gathers import complete, gather, is_at_places, memory_of, place_value, scatter
from tensorlift.normalise.values import DATA_PLACE, Access, Array, Data, depends_on_data
from tensorlift.ops.c_types import BOOL, LONG, TRUTH, CType, FloatType, IntegerType, NumberType
from tensorlift.poly.index_arithmetic import counts_objects, small_part
from tensorlift.poly.loops import Domain
from tensorlift.poly.polynomial import ONE, Polynomial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.diagnostics import Diagnostic, Location
    from tensorlift.poly.loops import LoopRange
    from tensorlift.poly.ranges import Ranges

_FEW, _MANY = 9, 256  # cells of a table that is written out, of a kind that all targets have, and of others
_INDEX_TYPE = IntegerType("index", 64, signed=True, rank=0)
_EMPTY_MAP = AffineMapAttr(AffineMap(0, 0, ()))


class IRSink:
    """Emits operations at the end of the innermost open block."""

    def __init__(self, ranges: Ranges, entry: Block) -> None:
        self.maps = AffineMaps(ranges)
        self.data_places: dict[str, SSAValue] = {}
        self.blocks = [entry]
        self._locations: dict[Location, FileLineColLoc] = {}
        self.unsized: dict[Array, Operation] = {}

    @property
    def block(self) -> Block:
        """The block that is being written."""
        return self.blocks[-1]

    def is_open(self, block: object) -> bool:
        """Whether a block is being written, or one inside of it."""
        return any(one is block for one in self.blocks)

    def place(self, location: Location) -> FileLineColLoc:
        """Give the location attribute of a place."""
        known = self._locations.get(location)
        if known is None:
            known = self._locations[location] = location_attribute(location)
        return known

    def add(self, operation: Operation) -> SSAValue | None:
        """Append an operation and give its first result."""
        self.blocks[-1].add_op(operation)
        return operation.results[0] if operation.results else None

    def value_of(self, operation: Operation) -> SSAValue:
        """Append an operation and give its result."""
        result = self.add(operation)
        assert result is not None
        return result

    def apply(self, name: str, operands: Sequence[SSAValue], result: Attribute, location: Location) -> SSAValue:
        """Append an operation of the arith or math dialect."""
        kind, place = operation_class(name), self.place(location)
        return self.value_of(kind.create(operands=operands, result_types=[result], location=place))

    def data_place(self, value: Data, location: Location) -> Polynomial:
        """Emit a value as an index, and give the variable that stands for it."""
        name = f"{DATA_PLACE}{len(self.data_places)}"
        wide = self.convert(value, LONG, location).ssa
        self.data_places[name] = self.apply("arith.index_cast", [wide], INDEX, location)
        return Polynomial.variable(name)

    def constant(self, value: float, ctype: CType, location: Location) -> Data:
        """Emit a constant."""
        kind = ir_type(ctype)
        if isinstance(ctype, FloatType):
            value = ctype.rounded(value)
            attribute: Attribute = float_attribute(value, ctype)
        else:
            assert isinstance(ctype, IntegerType)
            attribute = integer_attribute(ctype.signless(int(value)), ir_type(ctype))
        return Data(_constant(self, attribute, kind, location), ctype, literal=value)

    def truth(self, value: int, location: Location) -> Data:
        """Emit a constant truth value."""
        return Data(_constant(self, integer_attribute(-value, i1), i1, location), BOOL, literal=value, truth=True)

    def index_value(self, polynomial: Polynomial, ctype: IntegerType, location: Location, *, wraps: bool) -> Data:
        """Emit a polynomial as an integer; products of variables, and with large factors, are computed in its type."""
        constant = polynomial.constant_value
        if constant is not None:
            return self.constant(ctype.wrap(constant), ctype, location)
        is_place = depends_on_data(polynomial) or counts_objects(polynomial)
        if is_place or (polynomial.is_affine and ctype.width < i64.width.data):
            return Data(_cast_index(self, place_value(self, polynomial, location), ctype, location, wraps=wraps), ctype)
        return Data(_sum_of_products(self, polynomial, ctype, location, wraps=wraps), ctype)

    def affine_value(self, polynomial: Polynomial, location: Location) -> SSAValue:
        """Emit an affine polynomial as an index; a single variable needs no operation."""
        if len(polynomial.terms) == 1:
            ((monomial, value),) = polynomial.terms.items()
            if value == 1 and monomial and monomial[0] in self.maps.values:
                return self.maps.values[monomial[0]]
        attribute, operands = self.maps.map([polynomial])
        place = self.place(location)
        return self.value_of(
            affine.ApplyOp.create(
                operands=operands, result_types=[INDEX], properties={"map": attribute}, location=place
            )
        )

    def convert(self, value: Data, ctype: CType, location: Location) -> Data:
        """Emit the conversion between two arithmetic types."""
        source = value.ctype
        assert isinstance(ctype, NumberType)
        assert isinstance(source, NumberType)
        if value.truth:
            return _convert_truth(self, value, ctype, location)
        if value.literal is not None and isinstance(ctype, FloatType):
            return self.constant(value.literal, ctype, location)
        between = way_between(source, ctype)
        if between is not None:
            return self.convert(self.convert(value, between, location), ctype, location)
        name = conversion_operation(source, ctype)
        if name is None:
            return Data(value.ssa, ctype, value.literal)
        return Data(self.apply(name, [value.ssa], ir_type(ctype), location), ctype)

    def negated(self, value: Data, location: Location) -> Data:
        """Emit the negation of a float."""
        assert isinstance(value.ctype, FloatType)
        if value.literal is not None:
            return self.constant(-value.literal, value.ctype, location)
        return Data(self.apply("arith.negf", [value.ssa], ir_type(value.ctype), location), value.ctype)

    def truth_of(self, condition: AffineCondition, location: Location) -> Data:
        """Emit an affine condition as a truth value: comparisons of indices with zero."""
        result: Data | None = None
        opposite = condition.inverted and len(condition.constraints) == 1
        operators = {True: "!=", False: "<"} if opposite else {True: "==", False: ">="}
        for polynomial, equality in condition.constraints:
            value = self.affine_value(polynomial, location)
            zero = _constant(self, integer_attribute(0, INDEX), INDEX, location)
            number = predicate(operators[equality], _INDEX_TYPE)
            part = _compare(self, number, (value, zero), location)
            if result is not None:
                both = self.apply("arith.andi", [result.ssa, part.ssa], i1, location)
                part = Data(both, BOOL, truth=True)
            result = part
        assert result is not None
        if not condition.inverted or opposite:
            return result
        true = self.truth(1, location)
        return Data(self.apply("arith.xori", [result.ssa, true.ssa], i1, location), BOOL, truth=True)

    def allocate(self, array: Array) -> None:
        """Emit the memory of a local object at its declaration, or its place where the accesses tell its extents."""
        is_one = bool(array.extents) and all(extent == ONE for extent in array.extents)
        if array.table is not None or is_one or any(extent is None or not extent.is_affine for extent in array.extents):
            place = arith.ConstantOp.create(result_types=[INDEX], properties={"value": integer_attribute(0, INDEX)})
            array.ssa = _placed(self, place, array.location)
            self.unsized[array] = place
            return
        array.ssa = _memory(self, array)

    def load(self, array: Array, subscripts: tuple[Polynomial, ...], domain: Domain, location: Location) -> Data:
        """Emit a load, to be completed later unless the memory is a scalar's."""
        if is_at_places(array, subscripts, domain):
            return gather(self, array, Access(subscripts, domain, location, None))
        operation = affine.LoadOp.create(
            operands=() if subscripts else [memory_of(array)],
            result_types=[ir_type(array.element)],
            properties={"map": _EMPTY_MAP},
            location=self.place(location),
        )
        if subscripts:
            array.accesses.append(Access(subscripts, domain, location, operation))
        return Data(self.value_of(operation), array.element, truth=array.element is TRUTH)

    def store(
        self, array: Array, subscripts: tuple[Polynomial, ...], value: Data, domain: Domain, location: Location
    ) -> None:
        """Emit a store, to be completed later unless the memory is a scalar's."""
        if is_at_places(array, subscripts, domain):
            scatter(self, array, value, Access(subscripts, domain, location, None))
            return
        operation = affine.StoreOp.create(
            operands=[value.ssa] if subscripts else [value.ssa, memory_of(array)],
            properties={"map": _EMPTY_MAP},
            location=self.place(location),
        )
        if subscripts:
            array.accesses.append(Access(subscripts, domain, location, operation))
        self.add(operation)

    def begin_loop(self, loop: LoopRange, hint: str, location: Location, left: Diagnostic | None = None) -> None:
        """Open the body of a loop; one that steps by a size goes by one, and runs its body where it steps to."""
        lower, lower_operands = self.maps.map([loop.lower])
        upper, upper_operands = self.maps.map(loop.uppers)
        block = Block(arg_types=[INDEX])
        block.args[0].name_hint = hint
        operation = affine.ForOp.create(
            operands=[*lower_operands, *upper_operands],
            properties={
                "lowerBoundMap": lower,
                "upperBoundMap": upper,
                "step": integer_attribute(loop.step.constant_value or 1, INDEX),
                "operandSegmentSizes": segments(len(lower_operands), len(upper_operands), 0),
            },
            regions=[Region(block)],
            attributes=marked(left),
            location=self.place(location),
        )
        self.add(operation)
        self.maps.values[loop.variable] = block.args[0]
        self.blocks.append(block)
        if not loop.step.is_constant:
            condition, operands = self.maps.multiples(Polynomial.variable(loop.variable) - loop.lower, loop.step)
            inner = Block()
            only = affine.IfOp.create(
                operands=operands,
                properties={"condition": condition},
                regions=[Region(inner), Region()],
                location=self.place(location),
            )
            self.add(only)
            self.blocks.append(inner)

    def begin_while(self, goes_on: Array, location: Location) -> None:
        """Open the body of a loop that runs as long as a cell says so."""
        place, header, block = self.place(location), Block(), Block()
        read = affine.LoadOp.create(
            operands=[memory_of(goes_on)], result_types=[i1], properties={"map": _EMPTY_MAP}, location=place
        )
        header.add_ops([read, scf.ConditionOp.create(operands=[read.results[0]], location=place)])
        self.add(scf.WhileOp.create(regions=[Region(header), Region(block)], location=place))
        self.blocks.append(block)

    def end_while(self) -> None:
        """Close the body of a loop that runs as long as a cell says so."""
        self.blocks.pop().add_op(scf.YieldOp.create(location=UNKNOWN_LOC))

    def end_loop(self, loop: LoopRange) -> None:
        """Close the body of a loop."""
        for _ in range(1 if loop.step.is_constant else 2):
            self.blocks.pop().add_op(affine.YieldOp.create(location=UNKNOWN_LOC))

    def choose(
        self,
        condition: Condition,
        arms: tuple[Block, Block],
        results: Sequence[tuple[Data, Data]],
        location: Location,
    ) -> list[Data]:
        """Emit the condition over its arms, and give what either of them leaves."""
        ends = ([first for first, _ in results], [second for _, second in results])
        if isinstance(condition, AffineCondition) and condition.inverted:
            arms, ends = (arms[1], arms[0]), (ends[1], ends[0])
        kind = operation_class("affine.yield" if isinstance(condition, AffineCondition) else "scf.yield")
        for block, values in zip(arms, ends, strict=True):
            block.add_op(kind.create(operands=[value.ssa for value in values], location=self.place(location)))
        kinds = [value.ssa.type for value in ends[0]]
        has_else = bool(results) or len(arms[1].ops) > 1
        regions = [Region(arms[0]), Region(arms[1]) if has_else else Region()]
        if isinstance(condition, AffineCondition):
            attribute, operands = self.maps.set(condition.constraints)
            operation: Operation = affine.IfOp.create(
                operands=operands, result_types=kinds, properties={"condition": attribute}, regions=regions
            )
        else:
            operation = operation_class("scf.if").create(operands=[condition.ssa], result_types=kinds, regions=regions)
        operation.location = self.place(location)
        self.add(operation)
        made = zip(operation.results, results, strict=True)
        return [Data(value, first.ctype, truth=first.truth) for value, (first, _) in made]

    @contextmanager
    def inside(self, arm: Block) -> Iterator[None]:
        """Emit at the end of an arm."""
        self.blocks.append(arm)
        yield
        self.blocks.pop()

    def finish(self, result: Data | None, location: Location) -> None:
        """Emit the end of the function."""
        operands = [] if result is None else [result.ssa]
        self.add(func.ReturnOp.create(operands=operands, location=self.place(location)))


def reallocate(sink: IRSink, array: Array) -> None:
    """Emit the memory of a local array at its place, now that its shape is settled."""
    place = sink.unsized.pop(array, None)
    if place is None:
        return
    with sink.inside(Block()):
        if array.accesses or array.gathers:
            array.ssa = _memory(sink, array)
        move(list(sink.block.ops), place)
    remove(place)


def declare(sink: IRSink, array: Array) -> list[Operation]:
    """Emit what gets a table of constants that is read; return its declaration.

    Unless data or a remainder say which cell is read, one of a few cells is a local array that is filled with them, as
    they are simpler than a table where loops over it are written out; so is one of many that not all targets have.
    """
    assert array.table is not None
    place, name = sink.unsized.pop(array), identifier(array.name)
    values: Any = array.table.initial_value
    cells, found = values.get_values(), list[Operation]()
    is_common = all(map(isfinite, cells)) and not (isinstance(array.element, IntegerType) and not array.element.signed)
    is_chosen = bool(array.gathers) or any(sink.maps.has_quotients(access.subscripts) for access in array.accesses)
    if array.accesses and not is_chosen and len(cells) <= (_FEW if is_common else _MANY):
        with sink.inside(Block()):
            array.ssa = _memory(sink, array)
            lengths = [extent.constant_value or 0 for extent in array.extents if extent is not None]
            for cell, value in zip(product(*map(range, lengths)), cells, strict=True):
                subscripts = tuple(map(Polynomial.constant, cell))
                data = sink.constant(value, array.element, array.location)
                sink.store(array, subscripts, data, Domain(), array.location)
                complete(sink, array, array.accesses.pop(), subscripts)
            move(list(sink.block.ops), place)
    elif array.accesses or array.gathers:
        kind: Any = memref_type(array.element, array.extents)
        tensor: Any = TensorType(kind.element_type, kind.get_shape())
        declared = {
            "sym_name": StringAttr(name),
            "sym_visibility": StringAttr("private"),
            "type": kind,
            "initial_value": DenseIntOrFPElementsAttr.from_list(tensor, cells),
            "constant": UnitAttr(),
        }
        at = sink.place(array.location)
        found = [memref.GlobalOp.create(properties=declared, location=at)]
        got = memref.GetGlobalOp.create(result_types=[kind], properties={"name": SymbolRefAttr(name)}, location=at)
        got.attributes.update(_marks(sink, array))
        with sink.inside(Block()):
            array.ssa = sink.value_of(got)
            array.ssa.name_hint = name
            move(list(sink.block.ops), place)
    remove(place)
    return found


def _constant(sink: IRSink, value: Attribute, kind: Attribute, location: Location) -> SSAValue:
    """Append a constant of a type."""
    place = sink.place(location)
    return sink.value_of(arith.ConstantOp.create(result_types=[kind], properties={"value": value}, location=place))


def _placed(sink: IRSink, operation: Operation, location: Location) -> SSAValue:
    """Append an operation that was built without its place."""
    operation.location = sink.place(location)
    return sink.value_of(operation)


def _cast_index(sink: IRSink, value: SSAValue, ctype: IntegerType, location: Location, *, wraps: bool) -> SSAValue:
    if ctype.width == i64.width.data or (ctype.signed and not wraps):
        return sink.apply("arith.index_cast", [value], ir_type(ctype), location)
    return sink.apply(
        "arith.trunci", [sink.apply("arith.index_cast", [value], i64, location)], ir_type(ctype), location
    )


def _sum_of_products(
    sink: IRSink, polynomial: Polynomial, ctype: IntegerType, location: Location, *, wraps: bool
) -> SSAValue:
    kind = ir_type(ctype)
    affine_part, rest = small_part(polynomial)
    total: SSAValue | None = None
    if affine_part.terms:
        total = sink.index_value(affine_part, ctype, location, wraps=wraps).ssa
    for monomial, value in sorted(rest.terms.items()):
        product: SSAValue | None = None
        for name in monomial:
            whole = sink.affine_value(Polynomial.variable(name), location)
            factor = _cast_index(sink, whole, ctype, location, wraps=wraps)
            product = factor if product is None else sink.apply("arith.muli", [product, factor], kind, location)
        if value != 1 or product is None:
            scale = sink.constant(ctype.wrap(value), ctype, location).ssa
            product = scale if product is None else sink.apply("arith.muli", [product, scale], kind, location)
        total = product if total is None else sink.apply("arith.addi", [total, product], kind, location)
    assert total is not None, "it is no constant"
    return total


def _convert_truth(sink: IRSink, value: Data, ctype: NumberType, location: Location) -> Data:
    """Turn a truth value into a number."""
    if value.literal is not None:
        return sink.constant(int(value.literal), ctype, location)
    name = "arith.uitofp" if isinstance(ctype, FloatType) else "arith.extui"
    return Data(sink.apply(name, [value.ssa], ir_type(ctype), location), ctype)


def _compare(sink: IRSink, number: int, sides: tuple[SSAValue, SSAValue], location: Location) -> Data:
    properties = {"predicate": integer_attribute(number, i64)}
    operation = arith.CmpiOp.create(
        operands=sides, result_types=[i1], properties=properties, location=sink.place(location)
    )
    return Data(sink.value_of(operation), BOOL, truth=True)


def _memory(sink: IRSink, array: Array) -> SSAValue:
    """Emit the allocation of a local object."""
    dynamic = [
        sink.affine_value(extent, array.location)
        for extent in array.extents
        if extent is not None and not extent.is_constant
    ]
    kind = memref_type(array.element, array.extents)
    operation = memref.AllocaOp.create(
        operands=dynamic,
        result_types=[kind],
        properties={"operandSegmentSizes": segments(len(dynamic), 0)},
        attributes=_marks(sink, array),
        location=sink.place(array.location),
    )
    value = sink.value_of(operation)
    value.name_hint = identifier(array.name)
    return value


def _marks(sink: IRSink, array: Array) -> dict[str, Attribute]:
    """Give the attributes that say what the source declares of an array."""
    marks: dict[str, Attribute] = {"tl.name": StringAttr(identifier(array.name))}
    if isinstance(array.element, IntegerType) and not array.element.signed:
        marks["tl.unsigned"] = UnitAttr()
    if array.extents:
        marks["tl.shape"] = sink.maps.size_map([extent for extent in array.extents if extent is not None])
    return marks
