"""Evaluation of expressions: exact where integers steer, emitted where they are data."""

from __future__ import annotations

from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import BOOL, ArrayType, IntegerType, NumberType, PointerType, VoidType
from tensorlift.frontends.c.conditions import COMPARISONS, Conditions
from tensorlift.frontends.c.machine import check_type
from tensorlift.frontends.c.places import Cell
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Address, Index, Unknown, Value


class Expressions(Conditions):
    """Evaluation of every kind of expression."""

    def evaluate(self, expression: nodes.Expression) -> Value:
        """Evaluate an expression with its side effects."""
        match expression:
            case nodes.Integer(value=value, ctype=IntegerType() as ctype):
                return Index(Polynomial.constant(value), ctype)
            case nodes.Name() | nodes.Subscript():
                return self.read(self.place(expression), expression)
            case nodes.Cast():
                return self._cast(expression)
            case nodes.Binary():
                return self._binary(expression)
            case nodes.Assign():
                return self.assign(expression)
            case nodes.Unary():
                return self._unary(expression)
            case nodes.Call():
                return self.call(expression)
            case nodes.Conditional():
                return self.conditional(expression)
            case _:
                return self._rare(expression)

    def _rare(self, expression: nodes.Expression) -> Value:
        """Evaluate a floating constant, or refuse."""
        if isinstance(expression, nodes.Floating):
            check_type(expression.ctype, expression.location)
            return self.sink.constant(expression.value, expression.ctype, expression.location)
        if isinstance(expression, nodes.Unsupported):
            raise refusal(expression.kind, expression.location, expression.detail)
        raise refusal("expression", expression.location, "an initialiser list")

    def call(self, expression: nodes.Call) -> Value:
        """Evaluate a call."""
        raise NotImplementedError

    def _cast(self, expression: nodes.Cast) -> Value:
        ctype, operand = expression.ctype, expression.operand
        check_type(ctype, expression.location)
        value = self.evaluate(operand)
        if isinstance(ctype, PointerType | ArrayType):
            return self._pointer_cast(expression, value)
        if isinstance(ctype, VoidType):
            return Index(Polynomial.constant(0), BOOL)
        if isinstance(value, Address):
            raise refusal("pointer", expression.location, "a pointer is converted to a number")
        return self.convert(value, ctype, expression.location, operand)

    def _pointer_cast(self, expression: nodes.Cast, value: Value) -> Value:
        """Convert a pointer: arrays decay, qualifiers change; another view of the same memory is refused."""
        source, target = expression.operand.ctype, expression.ctype
        if isinstance(value, Unknown) or not isinstance(value, Address):
            return value if isinstance(value, Unknown) else Unknown("pointer-walk", "null")
        element = target.element if isinstance(target, PointerType) else target
        origin = source.element if isinstance(source, PointerType | ArrayType) else source
        if element != origin and not _same_cells(element, origin):
            raise refusal(
                "pointer", expression.location, f"`{source.spelling}` is reinterpreted as `{target.spelling}`"
            )
        return value

    def _unary(self, expression: nodes.Unary) -> Value:
        operator, operand = expression.operator, expression.operand
        if operator in {"post++", "post--", "pre++", "pre--"}:
            check_type(expression.ctype, expression.location)
            return self.increment(expression)
        if operator == "*":
            return self.read(self.place(expression), expression)
        if operator == "&":
            return self._address_of(operand)
        if operator == "!":
            return self.truth_value(expression)
        value = self.evaluate(operand)
        if operator == "+" or isinstance(value, Unknown):
            return value
        if isinstance(value, Index) and isinstance(expression.ctype, IntegerType):
            ones = {"-": 0, "~": -1}[operator]
            minuend = Index(Polynomial.constant(ones), expression.ctype)
            return self.arithmetic("-", minuend, value, expression.ctype, expression)
        return self.sink.unary(
            operator, self.value_of(self.as_data(value, operand), expression.location), expression.location
        )

    def _address_of(self, operand: nodes.Expression) -> Value:
        place = self.place(operand)
        if isinstance(place, Cell):
            return place.address
        value = self.read(place, operand) if isinstance(place.ctype, ArrayType) else None
        if isinstance(value, Address):
            return Address(value.base, value.subscripts[:-1] or value.subscripts, value.needs)
        raise refusal("address", operand.location, place.name)

    def _binary(self, expression: nodes.Binary) -> Value:
        operator = expression.operator
        if operator == ",":
            self.evaluate(expression.left)
            return self.evaluate(expression.right)
        if operator in COMPARISONS or operator in {"&&", "||"}:
            return self.truth_value(expression)
        left, right = self.evaluate(expression.left), self.evaluate(expression.right)
        check_type(expression.ctype, expression.location)
        if isinstance(expression.ctype, PointerType):
            swap = not isinstance(expression.left.ctype, PointerType)
            pointer, offset = (right, left) if swap else (left, right)
            return self.move_pointer(operator, pointer, offset, expression)
        if isinstance(left, Address) or isinstance(right, Address):
            return self._pointer_difference(left, right, expression)
        assert isinstance(expression.ctype, NumberType)
        return self.arithmetic(operator, left, right, expression.ctype, expression)

    def _pointer_difference(self, left: Value, right: Value, expression: nodes.Binary) -> Value:
        difference = self.address_difference(left, right)
        if difference is None or not isinstance(expression.ctype, IntegerType):
            raise refusal("pointer", expression.location, "pointers into different arrays are subtracted")
        return difference


def _same_cells(left: object, right: object) -> bool:
    """Whether two element types are the same memory: equal but for extents that only the declaration spells."""
    while isinstance(left, ArrayType) and isinstance(right, ArrayType):
        if left.length != right.length:
            return False
        left, right = left.element, right.element
    return left == right
