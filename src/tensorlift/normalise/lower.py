"""One function to one MLIR module: parameters, body, shapes, attributes."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, cast

from xdsl.dialects.arith import SIToFPOp, UIToFPOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region
from xdsl.rewriter import Rewriter

from tensorlift.diagnostics import LiftError, Location
from tensorlift.ir import nodes
from tensorlift.ir.c_types import INDEX, ir_type, memref_type
from tensorlift.normalise.delinearise import Split
from tensorlift.normalise.gathers import complete, complete_gather
from tensorlift.normalise.ir_sink import IRSink, declare, reallocate
from tensorlift.normalise.nest_orders import NestOrders
from tensorlift.normalise.preconditions import Preconditions, Requirement
from tensorlift.normalise.shapes import Shapes
from tensorlift.normalise.values import Address, Array, Data, Slot, Value, depends_on_data
from tensorlift.ops.c_types import (
    INT,
    LONG,
    ArrayType,
    ComplexType,
    CType,
    FloatType,
    IntegerType,
    NumberType,
    OtherType,
    PointerType,
    VoidType,
    element_of,
    is_structure,
)
from tensorlift.poly.index_arithmetic import Index
from tensorlift.poly.names import unused
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.poly.ranges import Ranges
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.normalise.execution import Execution

    MachineOf = Callable[[Ranges, Preconditions, IRSink], Execution]


_PASSES = 4  # each finds what one array needs
_SHAPELESS = {"TL131", "TL132"}  # subscripts that no dimensions hold


def lower_by(function: nodes.Function, source: str, machine_of: MachineOf) -> ModuleOp:
    """Lower one function, whose body a machine runs, with loops in the order that its arrays need.

    Flat memory that is only read, and for which no order gives dimensions, is read at computed places.
    """
    orders, at_places, refused = NestOrders(), frozenset[str](), None
    for _ in range(_PASSES):
        lowering = _Lowering(function, source, machine_of, at_places)
        lowering.machine.orders = orders
        try:
            return lowering.run()
        except LiftError as error:
            refused, array = refused or error, lowering.settling
            chosen = orders.better(array) if array is not None else None
            if chosen is not None:
                orders = NestOrders(chosen)
            elif array is not None and error.diagnostics[0].code in _SHAPELESS and _is_flat_input(array):
                orders, at_places = NestOrders(), at_places | {array.name}
            else:
                break
    assert refused is not None
    raise refused


def _is_flat_input(array: Array) -> bool:
    is_flat = array.is_parameter and not (array.keeps_rank or array.row_table or array.is_object or array.at_places)
    return is_flat and not array.is_stored_to


class _Lowering:
    """The state of lowering one function."""

    def __init__(self, function: nodes.Function, source: str, machine_of: MachineOf, at_places: frozenset[str]) -> None:
        self._function = function
        self._at_places = at_places
        self._source = source
        self._inputs = (*function.parameters, *(v for v in function.outer if not _is_constant(v)))
        self._ranges = Ranges()
        self._preconditions = Preconditions(self._ranges)
        self._block = Block()
        self._sink = IRSink(self._ranges, self._block)
        self.machine = machine_of(self._ranges, self._preconditions, self._sink)
        self.machine.new_size = self._new_size
        self._arrays: list[Array] = []
        self._has_made_sizes = False
        self._tables: list[Operation] = []
        self.settling: Array | None = None

    def run(self) -> ModuleOp:
        """Lower the parameters, the body and the shapes, in this order."""
        self._check_signature()
        self._parameters()
        value = self.machine.run_body(self._function)
        result = self._result(value)
        self._sink.finish(result, self._function.location)
        arrays = self._arrays + self.machine.arrays
        self._shape(arrays)
        self._sign_counts(arrays)
        self._keep_apart()
        return self._module(result)

    def _check_signature(self) -> None:
        function = self._function
        for ctype, location in [(function.result, function.location)] + [
            (parameter.ctype, parameter.location) for parameter in self._inputs
        ]:
            _check_parameter(ctype, location, function.name)

    def _parameters(self) -> None:
        """Bind the parameters: sizes first, because the extents of arrays depend on them."""
        for position, parameter in enumerate(self._inputs):
            scalar = isinstance(parameter.ctype, NumberType)
            size = scalar and self.machine.steering.steers(parameter)
            kind = ir_type(parameter.ctype) if scalar and not size else INDEX
            argument = self._block.insert_arg(kind, position, self._sink.place(parameter.location))
            argument.name_hint = parameter.name or None
            if scalar and parameter.is_global and parameter in self.machine.steering.assigned:
                self._bind_state(parameter, position)
            elif size:
                self._bind_size(parameter, argument)
            elif scalar:
                self.machine.bind_parameter(parameter, Data(argument, parameter.ctype))
        for position, parameter in enumerate(self._inputs):
            if isinstance(parameter.ctype, PointerType | ArrayType):
                self._bind_array(parameter, position)

    def _bind_state(self, variable: nodes.Variable, position: int) -> None:
        """Bind a global scalar that the function writes: an array without dimensions."""
        if self.machine.steering.steers(variable) or variable.is_const:
            raise refusal("global-steers", variable.location, variable.name)
        array = Array(variable.name, variable.ctype, [], variable.location, variable.ctype.spelling)
        array.is_parameter, array.position = True, position
        self._retype(array, self._block.args[position])
        self._arrays.append(array)
        self.machine.environment[variable] = Slot(array)

    def _bind_size(self, parameter: nodes.Variable, argument: BlockArgument) -> None:
        ctype = cast("IntegerType", parameter.ctype)
        name = self.machine.fresh(parameter.name)
        polynomial = self._ranges.add_size(name, ctype)
        self._sink.maps.values[name] = argument
        self.machine.environment[parameter] = Index(polynomial, ctype)
        if ctype.rank < INT.rank:  # callers of other languages may have no such type
            room = Polynomial.constant(ctype.maximum) - polynomial
            self._preconditions.insist("range", room, parameter.location)

    def _bind_array(self, parameter: nodes.Variable, position: int) -> None:
        element, extents = element_of(parameter.ctype), self.machine.extents(parameter)
        if isinstance(parameter.ctype, PointerType):
            is_number = parameter.access.endswith("[]")  # in a structure, whose other members lie beside it
            extents = [ONE if is_number else None, *extents]
        row_table = isinstance(element, PointerType) and extents == [None]
        if isinstance(element, PointerType):
            extents, element = [None, None], element.element
            if not row_table or isinstance(element, PointerType | ArrayType):
                raise refusal("row-pointers", parameter.location, parameter.name)
        _check_parameter(element, parameter.location, self._function.name)
        array = Array(parameter.name, element, extents, parameter.location, _spelling(parameter))
        array.is_parameter, array.position, array.row_table = True, position, row_table
        array.is_object = parameter.is_object or parameter.access.endswith("[]")
        array.keeps_rank, array.at_places = parameter.keeps_rank, parameter.name in self._at_places
        array.ssa = self._block.args[position]
        self._arrays.append(array)
        self.machine.environment[parameter] = Address(array, (ZERO,))

    def _result(self, value: Value) -> Data | None:
        """Turn the returned value into data."""
        function = self._function
        if isinstance(function.result, VoidType):
            return None
        self.machine.place = function.location
        return self.machine.number_of(value)

    def _shape(self, arrays: list[Array]) -> None:
        """Settle the shape of every array, then complete its loads and stores."""
        shapes = Shapes(self._ranges, self._preconditions, self._new_size)
        for array in arrays:
            self.settling = array
            if _is_cell(array):
                array.extents = []
                splits = [Split(access, ()) for access in array.accesses]
            else:
                splits = shapes.settle(array)
            if array.is_parameter:
                self._retype(array)
            elif array.table is not None:
                self._tables += declare(self._sink, array)
            else:
                reallocate(self._sink, array)
            for split in splits:
                complete(self._sink, array, split.access, split.subscripts)
            for gather in array.gathers:
                complete_gather(self._sink, array, gather)
            if array.row_table and array.is_stored_to:
                text = f"the rows of {array.name} do not overlap"
                self._preconditions.state("distinct-rows", text, array.location)

    def _sign_counts(self, arrays: list[Array]) -> None:
        """Convert unsigned values as signed ones where an array has as many cells, so that 63 bits hold them."""
        shapes = [[extent for extent in array.extents if extent is not None] for array in arrays]
        cells = [prod(shape, start=ONE) for shape in shapes]
        for data, value, domain in self.machine.converted:
            operation = data.ssa.owner if isinstance(data.ssa, OpResult) else None
            if isinstance(operation, UIToFPOp) and any(self._ranges.is_certain(n - value, domain) for n in cells):
                signed = SIToFPOp(operation.input, operation.result.type)
                signed.location = operation.location
                Rewriter.replace_op(operation, signed)

    def _new_size(self, array: Array, axis: int) -> Polynomial:
        """Make a size that C has no parameter for, of an extent that nothing tells."""
        name = unused(f"{array.name}{'_row' * axis}_size", {p.name for p in (*self._function.declared, *self._inputs)})
        variable = nodes.Variable(name, LONG, array.location)
        argument = self._block.insert_arg(INDEX, len(self._inputs), self._sink.place(array.location))
        argument.name_hint = variable.name
        self._inputs, self._has_made_sizes = (*self._inputs, variable), True
        self._bind_size(variable, argument)
        index = self.machine.environment[variable]
        assert isinstance(index, Index)
        return index.polynomial

    def _keep_apart(self) -> None:
        """Ask that scalars that are read from memory once, at the start, do not lie in an array that is written."""
        for variable in self._inputs:
            in_memory = variable.is_global or variable.is_reference or "->" in variable.access
            if not in_memory or not isinstance(variable.ctype, NumberType):
                continue
            for array in self._arrays:
                is_apart = array.is_object or (variable.is_global and not array.extents)
                apart = (variable.is_global or variable.is_object) and is_apart
                if array.element == variable.ctype and not apart and array.is_stored_to:
                    text = f"{array.name} shares no memory with {variable.name}"
                    self._preconditions.state("no-overlap", text, array.location)

    def _retype(self, array: Array, argument: BlockArgument | None = None) -> None:
        """Give an array parameter its type."""
        extents = [extent for extent in array.extents if extent is not None]
        argument = cast("BlockArgument", array.ssa) if argument is None else argument
        array.ssa = Rewriter.replace_value_with_new_type(argument, memref_type(array.element, extents))

    def _module(self, result: Data | None) -> ModuleOp:
        """Wrap the body into a function and a module."""
        arguments = [argument.type for argument in self._block.args]
        results = [] if result is None else [result.ssa.type]
        described = [self._argument_attributes(position) for position in range(len(arguments))]
        operation = FuncOp.create(
            properties={
                "sym_name": StringAttr(self._function.name),
                "function_type": FunctionType.from_lists(arguments, results),
                "arg_attrs": ArrayAttr(described),
            },
            regions=[Region(self._block)],
            location=self._sink.place(self._function.location),
        )
        operation.attributes["tl.source"] = StringAttr(self._source)
        if isinstance(self._function.result, IntegerType) and not self._function.result.signed:
            operation.attributes["tl.result_unsigned"] = UnitAttr()
        if self._function.result.spelling in _TWINS:
            operation.attributes["tl.result_c_type"] = StringAttr(self._function.result.spelling)
        parameters = self._function.parameters
        is_unused = any(declared not in parameters for declared in self._function.declared)  # a structure
        if self._has_made_sizes or is_unused or any(p.access for p in parameters):
            operation.attributes["tl.c_parameters"] = ArrayAttr([_declared(p) for p in self._function.declared])
        if self._function.returned:
            operation.attributes["tl.returned"] = StringAttr(self._function.returned)
        if self._ranges.derived:
            operation.attributes["tl.derived"] = ArrayAttr(map(StringAttr, self._ranges.derived))
        if self._function.structures:
            operation.attributes["tl.structures"] = ArrayAttr(map(StringAttr, self._function.structures))
        requirements = self._preconditions.requirements()
        if requirements:
            operation.attributes["tl.requires"] = ArrayAttr([self._requirement(item) for item in requirements])
        return ModuleOp.create(regions=[Region(Block([*self._tables, operation]))])

    def _argument_attributes(self, position: int) -> DictionaryAttr:
        parameter = self._inputs[position]
        attributes: dict[str, Attribute] = {
            "tl.name": StringAttr(parameter.name),
            "tl.c_type": StringAttr(_spelling(parameter)),
        }
        if parameter.access:
            attributes["tl.access"] = StringAttr(parameter.access)
        element = element_of(parameter.ctype)
        if isinstance(element, IntegerType) and not element.signed and not self._is_size(position):
            attributes["tl.unsigned"] = UnitAttr()
        for array in self._arrays:
            if array.position == position:
                extents = [extent for extent in array.extents if extent is not None]
                attributes["tl.shape"] = self._sink.maps.size_map(extents)
                if array.inferred:
                    attributes["tl.inferred"] = ArrayAttr([IntegerAttr(axis, i64) for axis in array.inferred])
                if array.strides is not None:
                    attributes["tl.strides"] = ArrayAttr(
                        [StringAttr(self._ranges.spelled(stride)) for stride in array.strides]
                    )
        return DictionaryAttr(attributes)

    def _is_size(self, position: int) -> bool:
        return isinstance(self._block.args[position].type, IndexType)

    def _requirement(self, requirement: Requirement) -> DictionaryAttr:
        attributes: dict[str, Attribute] = {
            "kind": StringAttr(requirement.kind),
            "text": StringAttr(requirement.text),
            "loc": StringAttr(str(requirement.location)),
        }
        if requirement.polynomial is not None and depends_on_data(requirement.polynomial):
            raise refusal("overflow-of-data", requirement.location)
        if requirement.polynomial is not None and requirement.polynomial.is_affine:
            attributes["set"] = self._sink.maps.size_set([(requirement.polynomial, False)])
        if requirement.choices:
            attributes["set"] = ArrayAttr(list(map(self._sink.maps.size_set, requirement.choices)))
        return DictionaryAttr(attributes)


# Types of C as wide as another one with the same sign, by which their results alone do not tell them.
_TWINS = {"_Bool", "char", "long long", "unsigned long long"}


def _is_constant(variable: nodes.Variable) -> bool:
    """Whether a global variable is a constant or a table of constants, whose values are known."""
    arithmetic = isinstance(variable.ctype, IntegerType | FloatType | ArrayType)
    return variable.is_const and arithmetic and variable.is_initialised


def _declared(parameter: nodes.Variable) -> DictionaryAttr:
    """Describe a parameter as C declares it: its name, and its type where it is more than one parameter here."""
    is_made = is_structure(parameter.ctype) or isinstance(parameter.ctype, ComplexType)
    const = "const " * (parameter.points_to_const and "const" not in parameter.ctype.spelling)
    ctype = f"{const}{parameter.ctype.spelling}" if is_made else ""
    return DictionaryAttr({"name": StringAttr(parameter.name), "type": StringAttr(ctype)})


def _is_cell(array: Array) -> bool:
    """Whether an array is a scalar: one passed by address, without subscript or movement, or memory of one element."""
    if array.is_parameter and (array.subscripted or array.extents != [None]):
        return False
    is_one = array.is_parameter or (bool(array.extents) and all(extent == ONE for extent in array.extents))
    return (
        is_one
        and not array.gathers
        and bool(array.accesses)
        and all(s == ZERO for access in array.accesses for s in access.subscripts)
    )


def _check_parameter(ctype: CType, location: Location, name: str) -> None:
    """Refuse parameter and result types outside the subset."""
    if isinstance(ctype, OtherType):
        raise refusal(ctype.kind, location, f"`{ctype.spelling}`" if ctype.kind == "struct" else ctype.spelling)
    if isinstance(ctype, PointerType) and isinstance(ctype.element, OtherType):
        _check_parameter(ctype.element, location, name)
    if isinstance(ctype, PointerType) and isinstance(ctype.element, VoidType):
        raise refusal("type", location, ctype.spelling)


def _spelling(parameter: nodes.Variable) -> str:
    """Spell the canonical type of a parameter; an array parameter is the pointer that it decays to.

    ``restrict`` is kept of pointers to elements and rows: of a table of row pointers it says nothing about the rows.
    """
    spelling = parameter.ctype.spelling
    if isinstance(parameter.ctype, ArrayType):
        base, _, rest = spelling.partition("[")
        inner = rest.partition("]")[2]
        spelling = f"{base.strip()} (*){inner}" if inner else f"{base.strip()} *"
    if re.sub(r"\[[^\]]*\]", "", spelling).count("*") != 1:
        return spelling
    spelling = spelling.replace("*", "*restrict", 1) if parameter.is_restrict else spelling
    return f"const {spelling}" if parameter.points_to_const else spelling
