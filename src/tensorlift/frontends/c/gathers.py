"""Loads at places that depend on data: each subscript is computed as an index, the load completed with the shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from xdsl.dialects import memref

from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.frontends.c.c_types import LONG, CType
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import DATA_PLACE, Array, Data, Gather

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc
    from xdsl.ir import Attribute, Operation, SSAValue

    from tensorlift.diagnostics import Location


class Gathers:
    """The part of the sink that reads arrays at places that depend on data."""

    def __init__(self) -> None:
        self._places: dict[str, SSAValue] = {}

    def data_place(self, value: Data, location: Location) -> Polynomial:
        """Emit a value as an index, and give the variable that stands for it."""
        wide = cast("SSAValue", self.convert(value, LONG, location).ssa)
        name = f"{DATA_PLACE}{len(self._places)}"
        self._places[name] = self.index_operation("arith.index_cast", [wide], location)
        return Polynomial.variable(name)

    def gather(self, array: Array, subscripts: tuple[Polynomial, ...], location: Location) -> Data:
        """Emit a load at places that depend on data, to be completed later."""
        if not array.is_parameter or array.row_table:
            raise refusal("subscript-data", location, f"data, and `{array.name}` is no array that is passed whole")
        places = tuple(self._place_value(subscript, location) for subscript in subscripts)
        load = memref.LoadOp.create(result_types=[self.element_type(array)], location=self.place(location))
        array.gathers.append(Gather(location, load, places))
        return Data(self.value_of(load), array.element)

    def _place_value(self, subscript: Polynomial, location: Location) -> SSAValue:
        """Emit a subscript as an index: the sum of what depends on data and an affine rest."""
        of_data = {m: v for m, v in subscript.terms.items() if any(name.startswith(DATA_PLACE) for name in m)}
        rest = subscript - Polynomial(of_data)
        if not rest.is_affine or any(len(m) > 1 or factor != 1 for m, factor in of_data.items()):
            raise refusal("subscript-data", location, "data in this way")
        values = [self._places[name] for (name,) in of_data]
        if rest.terms or not values:
            values.append(self.affine_value(rest, location))
        total, *others = values
        for value in others:
            total = self.index_operation("arith.addi", [total, value], location)
        return total

    def complete_gather(self, array: Array, gather: Gather) -> None:
        """Set the memory of a load at places that depend on data."""
        operation = cast("Operation", gather.operation)
        operation.operands = [cast("SSAValue", array.ssa), *cast("tuple[SSAValue, ...]", gather.places)]

    # -- what the sink does

    def convert(self, value: Data, ctype: CType, location: Location) -> Data:
        """Convert between arithmetic types."""
        raise NotImplementedError

    def affine_value(self, polynomial: Polynomial, location: Location) -> SSAValue:
        """Emit an affine polynomial as an index."""
        raise NotImplementedError

    def index_operation(self, name: str, operands: list[SSAValue], location: Location) -> SSAValue:
        """Append an operation that gives an index."""
        raise NotImplementedError

    def value_of(self, operation: Operation) -> SSAValue:
        """Append an operation and give its result."""
        raise NotImplementedError

    def element_type(self, array: Array) -> Attribute:
        """Give the type of an element in the loop IR."""
        raise NotImplementedError

    def place(self, location: Location) -> FileLineColLoc:
        """Give the location attribute of a place."""
        raise NotImplementedError
