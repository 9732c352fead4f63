"""Lvalues: what an assignment writes and a use reads, and the increments and assignments on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ZERO, Polynomial
from tensorlift.frontends.c import index_arithmetic, nodes
from tensorlift.frontends.c.c_types import (
    INT,
    LONG,
    UNSIGNED_LONG,
    ArrayType,
    CType,
    FloatType,
    IntegerType,
    NumberType,
    PointerType,
    promote,
    usual_arithmetic,
)
from tensorlift.frontends.c.machine import Machine, check_type
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.splitting import divisor_name
from tensorlift.frontends.c.values import (
    Address,
    Array,
    Choice,
    Data,
    Index,
    Slot,
    Unknown,
    Value,
    depends_on_data,
)

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location


@dataclass(frozen=True, slots=True)
class Cell:
    """An element of an array, or a row of it where ``ctype`` is an array."""

    address: Address
    ctype: CType


Place = nodes.Variable | Cell


class Places(Machine):
    """Reading and writing variables and array elements."""

    def place(self, expression: nodes.Expression) -> Place:
        """Evaluate an expression as an lvalue."""
        match expression:
            case nodes.Name(variable=variable):
                return variable
            case nodes.Subscript(base=base, index=index):
                return self._cell(self._subscripted(base), self.subscript(index), expression)
            case nodes.Unary(operator="*", operand=operand):
                return self._cell(self._address(operand), Index(ZERO, INT), expression)
            case nodes.Cast(operand=operand):
                return self.place(operand)
            case nodes.Unsupported(kind=kind, detail=detail, location=location):
                raise refusal(kind, location, detail)
            case _:
                raise refusal("expression", expression.location, "this assignment target")

    def _cell(self, address: Address | Unknown, offset: Index | Unknown, expression: nodes.Expression) -> Cell:
        """Move an address by an offset and look at the cell there."""
        if isinstance(address, Unknown) or isinstance(offset, Unknown):
            address = Address(_nowhere(expression), (ZERO,))
            offset = Index(ZERO, INT)
        if isinstance(expression.ctype, PointerType) and not _is_row(address):
            raise refusal("row-pointers", expression.location, _spell(expression))
        check_type(expression.ctype, expression.location)
        if isinstance(expression, nodes.Subscript) and isinstance(address.base, Array):
            address.base.subscripted = True
        return Cell(moved(address, offset), expression.ctype)

    def _address(self, expression: nodes.Expression) -> Address | Unknown:
        value = self.known(self.evaluate(expression), expression.location)
        if isinstance(value, Address | Unknown):
            return value
        raise refusal("pointer", expression.location, "this is not an array of the function")

    def _subscripted(self, base: nodes.Expression) -> Address | Unknown:
        """Evaluate what is subscripted: only there may a row be at a place that depends on data."""
        outside, self._is_subscripted = self._is_subscripted, isinstance(nodes.without_casts(base), nodes.Subscript)
        try:
            return self._address(base)
        finally:
            self._is_subscripted = outside

    def subscript(self, expression: nodes.Expression) -> Index | Unknown:
        """Evaluate a subscript; one that depends on data becomes a variable of its own."""
        value = self.known(self.evaluate(expression), expression.location)
        if isinstance(value, Index):
            self.rely_on(value)
            return value
        unknown = without_closed_form(expression, "data")
        if isinstance(value, Data) and self.sink.emits:
            is_place = unknown.reason == "subscript-data" and isinstance(value.ctype, IntegerType)
            if not is_place or not self.reads_places:
                raise refusal(unknown.reason, expression.location, unknown.detail)
            return Index(self.sink.data_place(value, expression.location), LONG)
        return unknown

    def read(self, place: Place, expression: nodes.Expression) -> Value:
        """Give the value at a place; an array gives the address of its first element."""
        if isinstance(place, nodes.Variable):
            return self._read_variable(place, expression)
        if isinstance(place.ctype, ArrayType | PointerType):
            address = place.address
            self.rely_on(address)
            if not self._is_subscripted and any(map(depends_on_data, address.subscripts)):
                raise refusal("subscript-data", expression.location, "data")
            return Address(address.base, (*address.subscripts, ZERO), address.needs)
        array = place.address.base
        if not isinstance(array, Array):
            return Data(None, place.ctype)
        self.rely_on(place.address)
        return self.sink.load(array, place.address.subscripts, self.domain, expression.location)

    def _read_variable(self, variable: nodes.Variable, expression: nodes.Expression) -> Value:
        binding = self.environment.get(variable)
        match binding:
            case None:
                return self._unbound(variable, expression)
            case Slot(array=None):
                return Data(None, expression.ctype)
            case Slot(array=Array() as array):
                return self.sink.load(array, (), self.domain, expression.location)
            case Choice():
                return lost(variable)
            case _:
                assert not isinstance(binding, Slot)
                return binding

    def _unbound(self, variable: nodes.Variable, expression: nodes.Expression) -> Value:
        """Read a variable from outside the function: only constants have a value."""
        check_type(variable.ctype, expression.location)
        plain = isinstance(variable.ctype, NumberType)
        if variable.is_const and plain and variable.initialiser is not None and variable.is_global:
            return self.evaluate(variable.initialiser)
        if variable.is_global:
            raise refusal("global", expression.location, variable.name)
        return Unknown("uninitialised", variable.name)

    def write(self, place: Place, value: Value, expression: nodes.Expression) -> None:
        """Store a value, already of the place's type."""
        if isinstance(place, nodes.Variable):
            self._write_variable(place, value, expression)
            return
        if isinstance(place.ctype, PointerType):
            raise refusal("row-pointers", expression.location, _spell(expression))
        data = self.as_data(value, expression)
        array = place.address.base
        if isinstance(array, Array):
            self.rely_on(place.address)
            self.sink.store(array, place.address.subscripts, data, self.domain, expression.location)

    def _write_variable(self, variable: nodes.Variable, value: Value, expression: nodes.Expression) -> None:
        if variable.is_global and not isinstance(self.environment.get(variable), Slot):
            raise refusal("global", expression.location, variable.name)
        if isinstance(variable.ctype, PointerType | ArrayType):
            self.environment[variable] = value if isinstance(value, Address) else Unknown("pointer-walk", variable.name)
        elif self.demand.steers(variable):
            kept = self.kept(value, expression.location)
            self.environment[variable] = holds_data(variable, expression) if kept is None else kept
        else:
            self._write_slot(variable, value, expression)

    def _write_slot(self, variable: nodes.Variable, value: Value, expression: nodes.Expression) -> None:
        data = self.as_data(value, expression)
        slot = self.environment.get(variable)
        if not isinstance(slot, Slot):
            raise refusal("expression", expression.location, f"this assignment to `{variable.name}`")
        if slot.array is not None:
            self.sink.store(slot.array, (), data, self.domain, expression.location)

    def assign(self, expression: nodes.Assign) -> Value:
        """Execute ``target = value`` or a compound assignment; the value of the expression is what was stored."""
        check_type(expression.ctype, expression.location)
        value = self.evaluate(expression.value)
        place = self.place(expression.target)
        if expression.operator:
            value = self._compound(expression, self.read(place, expression.target), value)
        elif isinstance(value, Data) and value.truth:
            value = self.value_of(value, expression.location)
        self.write(place, value, expression)
        return value

    def _compound(self, expression: nodes.Assign, old: Value, value: Value) -> Value:
        """Compute ``old op value`` in the common type and convert it back to the target's type."""
        target = expression.target.ctype
        if isinstance(target, PointerType | ArrayType):
            return self.move_pointer(expression.operator, old, value, expression)
        common = self._common_type(expression)
        left = self.convert(old, common, expression.location, expression.target)
        shift = expression.operator in {"<<", ">>"}
        right = value if shift else self.convert(value, common, expression.location, expression.value)
        result = self.arithmetic(expression.operator, left, right, common, expression)
        return self.convert(result, target, expression.location, expression)

    def _common_type(self, expression: nodes.Assign) -> NumberType:
        target = expression.target.ctype
        if expression.operator in {"<<", ">>"} and isinstance(target, IntegerType):
            return promote(target)
        return usual_arithmetic(target, expression.value.ctype)

    def increment(self, expression: nodes.Unary) -> Value:
        """Execute ``x++`` and its relatives."""
        place = self.place(expression.operand)
        old = self.read(place, expression.operand)
        operator = "+" if expression.operator.endswith("++") else "-"
        new = self._stepped(operator, old, expression)
        self.write(place, new, expression)
        return old if expression.operator.startswith("post") else new

    def _stepped(self, operator: str, old: Value, expression: nodes.Unary) -> Value:
        """Add or subtract one in the promoted type."""
        ctype = expression.operand.ctype
        one = Index(Polynomial.constant(1), INT)
        if isinstance(ctype, PointerType | ArrayType):
            return self.move_pointer(operator, old, one, expression)
        assert isinstance(ctype, NumberType)
        common = promote(ctype) if isinstance(ctype, IntegerType) else ctype
        left = self.convert(old, common, expression.location, expression.operand)
        right = self.convert(one, common, expression.location, expression.operand)
        result = self.arithmetic(operator, left, right, common, expression)
        return self.convert(result, ctype, expression.location, expression)

    def move_pointer(self, operator: str, pointer: Value, offset: Value, expression: nodes.Expression) -> Value:
        """Move a pointer by an integer."""
        if isinstance(offset, Data):
            if self.sink.emits:
                raise refusal("subscript-data", expression.location, "data")
            offset = Unknown("subscript-data", "data")
        for value in (pointer, offset):
            if isinstance(value, Unknown):
                return value
        if not isinstance(pointer, Address) or not isinstance(offset, Index):
            raise refusal("pointer", expression.location, "this pointer arithmetic")
        self.rely_on(offset)
        step = offset if operator == "+" else Index(-offset.polynomial, offset.ctype, offset.needs)
        return moved(pointer, step)

    def arithmetic(
        self,
        operator: str,
        left: Value,
        right: Value,
        ctype: NumberType,
        expression: nodes.Expression,
    ) -> Value:
        """Apply an arithmetic operator to operands already of the common type."""
        if isinstance(left, Index) and isinstance(right, Index) and isinstance(ctype, IntegerType):
            domain = self.domain if self.sink.emits else None
            setting = index_arithmetic.Setting(self.ranges, domain, expression.location, self.exact_from)
            exact = index_arithmetic.binary(operator, left, right, ctype, setting)
            if exact is not None:
                if operator == "*" and not exact.polynomial.is_affine:
                    self.products.setdefault(exact.polynomial, (left.polynomial, right.polynomial))
                return exact
        for value in (left, right):
            if isinstance(value, Unknown) and not self.sink.emits:
                return value
        data = [self.value_of(self.as_data(value, expression), expression.location) for value in (left, right)]
        return self.sink.arithmetic(operator, data[0], data[1], expression.location)

    def convert(self, value: Value, ctype: CType, location: Location, expression: nodes.Expression) -> Value:
        """Convert an arithmetic value to a type."""
        check_type(ctype, location)
        if isinstance(value, Unknown) and not self.sink.emits:
            return value
        if isinstance(value, Index) and isinstance(ctype, IntegerType):
            exact = index_arithmetic.convert(value, ctype, location)
            if exact is not None:
                return exact
        if isinstance(value, Index) and isinstance(ctype, FloatType):
            constant = value.polynomial.constant_value
            if constant is not None:
                return self.sink.constant(float(constant), ctype, location)
            if self._is_exact_in_long(value):
                self.rely_on(value)
                value = Index(value.polynomial, LONG)
        if isinstance(value, Data) and value.ctype == ctype and not value.truth:
            return value
        data = self.sink.convert(self.as_data(value, expression), ctype, location)
        if isinstance(value, Index) and value.ctype == UNSIGNED_LONG and isinstance(ctype, FloatType):
            self.converted.append((data, value.polynomial, self.domain))
        return data

    def _is_exact_in_long(self, value: Index) -> bool:
        """Tell whether an unsigned value certainly is the exact one, and ``long`` holds it."""
        if value.ctype == UNSIGNED_LONG:
            return index_arithmetic.counts_objects(value.polynomial)
        wraps = (need.polynomial for need in value.needs if need.wraps)
        return not value.ctype.signed and all(self.ranges.is_certain(room, self.domain) for room in wraps)


def moved(address: Address, offset: Index) -> Address:
    """Add an offset to the last subscript of an address."""
    *outer, last = address.subscripts
    return Address(address.base, (*outer, last + offset.polynomial), address.needs + offset.needs)


def _is_row(address: Address) -> bool:
    """Whether a pointer behind an address is a row of a table, or unknown because nothing is emitted."""
    base = address.base
    return not isinstance(base, Array) or (base.row_table and len(address.subscripts) < len(base.extents))


def lost(variable: nodes.Variable) -> Unknown:
    """Say that a variable has no closed form."""
    reason = "pointer-walk" if isinstance(variable.ctype, PointerType | ArrayType) else "closed-form"
    return Unknown(reason, variable.name)


def holds_data(variable: nodes.Variable, expression: nodes.Expression) -> Unknown:
    """Say why a steering variable lost its closed form."""
    return without_closed_form(expression, f"`{variable.name}`, which holds data")


def without_closed_form(expression: nodes.Expression, data: str) -> Unknown:
    """Say why an expression that steers has no exact value: a division of sizes, or else data."""
    divisor = divisor_name(expression)
    return Unknown("subscript-data", data) if divisor is None else Unknown("quotient", divisor)


def _nowhere(expression: nodes.Expression) -> nodes.Variable:
    """Give a base for an address that is not known; it only occurs where nothing is emitted."""
    return nodes.Variable("?", expression.ctype, expression.location)


def _spell(expression: nodes.Expression) -> str:
    """Name the array in an access, for a message."""
    while isinstance(expression, nodes.Subscript | nodes.Cast | nodes.Unary):
        expression = expression.base if isinstance(expression, nodes.Subscript) else expression.operand
    return expression.variable.name if isinstance(expression, nodes.Name) else "this"
