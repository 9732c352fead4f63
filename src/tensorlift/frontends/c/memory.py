"""Expressions, exact where integers steer and emitted where they are data, and functions that fill and copy.

``memset``, ``memcpy``, ``std::fill_n`` and ``std::copy_n`` become the loops that they stand for.  The number of bytes
must be a multiple of the element size for all sizes: ``n * sizeof(*a)`` is a loop over ``n`` elements, a product of
several sizes a nest, and on a declared array every inner dimension is a loop.  ``memset`` writes elements whose bytes
are all alike: zeros, or any bytes for integers.  ``memmove`` within one array, and bytes that are no whole elements,
stay refused.  ``std::fill_n(target, count, value)`` and ``std::copy_n(source, count, target)`` count elements of what
their target points to: numbers, or rows of a declared array.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import BOOL, ArrayType, CType, IntegerType, NumberType, PointerType, VoidType
from tensorlift.frontends.c.conditions import COMPARISONS, Conditions
from tensorlift.frontends.c.machine import check_type
from tensorlift.frontends.c.places import Cell
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Address, Array, Data, Index, LoopRange, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Sequence


def _same_cells(left: object, right: object) -> bool:
    """Whether two element types are the same memory: equal but for extents that only the declaration spells."""
    while isinstance(left, ArrayType) and isinstance(right, ArrayType):
        if left.length != right.length:
            return False
        left, right = left.element, right.element
    return left == right


MEMORY_CALLS = {"memset", "memcpy", "memmove", "std::fill_n", "std::copy_n"}
_ARGUMENTS = 3
_BYTE = 8


class Memory(Conditions):
    """Evaluation of expressions, and execution of the calls of <string.h> that fill and copy."""

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

    def memory_call(self, expression: nodes.Call) -> Value:
        """Execute a call; its value is that of its first argument."""
        if len(expression.arguments) != _ARGUMENTS:
            raise refusal("memory-call", expression.location, f"`{expression.name}`")
        if expression.name.startswith("std::"):
            return self._counted_call(expression)
        target, other, size = expression.arguments
        address, count = self._address_of_cells(target), self.evaluate(size)
        source = None if expression.name == "memset" else self._address_of_cells(other)
        value = self.evaluate(other) if source is None else source[0]
        if not self.sink.emits or not isinstance(address[0].base, Array):
            return address[0]
        if not isinstance(count, Index) or (source is not None and not isinstance(source[0].base, Array)):
            raise refusal("memory-call", expression.location, f"`{expression.name}`")
        self.rely_on(count)
        dimensions = self._dimensions(address[0].base, address[1], count.polynomial, expression)
        if source is not None:
            same_array = source[0].base is address[0].base
            if _cell(source[1]) != _cell(address[1]) or (same_array and expression.name == "memmove"):
                raise refusal("memory-call", expression.location, f"`{expression.name}`")
        byte = self._byte(value, expression)
        self._nest(address, source, self._element(address[0].base, byte, expression), dimensions, expression)
        return address[0]

    def _counted_call(self, expression: nodes.Call) -> Value:
        """Execute a call that counts elements."""
        first, count, last = expression.arguments
        copies = expression.name == "std::copy_n"
        source = self._address_of_cells(first) if copies else None
        value = None if copies else self.value_of(self.data(last), last.location)
        number = self.known(self.evaluate(count), count.location)
        target = self._address_of_cells(last if copies else first)
        if not self.sink.emits or not isinstance(target[0].base, Array):
            return target[0]
        if not isinstance(number, Index) or (source is not None and not isinstance(source[0].base, Array)):
            raise refusal("memory-call", expression.location, f"`{expression.name}`")
        self.rely_on(number)
        inner = self._inner_extents(target[0].base, target[1], expression)
        dimensions = [*self._factors(number.polynomial, expression), *inner]
        self._nest(target, source, value, dimensions, expression)
        return target[0]

    def _address_of_cells(self, expression: nodes.Expression) -> tuple[Address, CType]:
        """Evaluate a pointer argument, and give the type that it points to before it became ``void *``."""
        while isinstance(expression, nodes.Cast) and not _is_typed(expression):
            expression = expression.operand
        value = self.evaluate(expression)
        ctype = expression.ctype
        cells = isinstance(ctype, PointerType | ArrayType) and isinstance(_cell(ctype.element), NumberType)
        if isinstance(value, Address) and isinstance(ctype, PointerType | ArrayType) and cells:
            return value, ctype.element
        raise refusal("memory-call", expression.location, "a call on memory that is no array of the function")

    def _byte(self, value: Value, expression: nodes.Call) -> int | None:
        """Give the byte that ``memset`` writes, None for a copy."""
        if expression.name != "memset":
            return None
        constant = value.polynomial.constant_value if isinstance(value, Index) else None
        if constant is None:
            raise refusal("memory-call", expression.location, "`memset` with a byte that is no constant")
        return constant % (1 << _BYTE)

    def _dimensions(self, array: Array, ctype: CType, size: Polynomial, expression: nodes.Call) -> list[Polynomial]:
        """Split the bytes over loops: those of the pointer, then the inner dimensions of a declared array."""
        inner = self._inner_extents(array, ctype, expression)
        cell = _cell(ctype)
        assert isinstance(cell, NumberType)
        row = Polynomial.constant(cell.width // _BYTE)
        for extent in inner:
            row = row * extent
        count, rest = size.divide(row)
        if rest != ZERO:
            raise refusal("memory-call", expression.location, f"`{expression.name}` of a part of an element or row")
        return [*self._factors(count, expression), *inner]

    def _inner_extents(self, array: Array, ctype: CType, expression: nodes.Call) -> list[Polynomial]:
        """Give the extents of what a pointer into an array points to."""
        inner = array.extents[len(array.extents) - _depth(ctype) :]
        known = [extent for extent in inner if extent is not None]
        if len(known) != len(inner):
            raise refusal("memory-call", expression.location, f"`{expression.name}` on rows of unknown length")
        return known

    def _factors(self, count: Polynomial, expression: nodes.Call) -> list[Polynomial]:
        """Split a number of elements into extents: itself where affine, else the sizes of a product as they stand."""
        if count.is_affine:
            return [count]
        if len(count.terms) != 1:
            raise refusal("memory-call", expression.location, f"`{expression.name}` of {count} elements")
        ((monomial, value),) = count.terms.items()
        order = list(self.ranges.sizes)
        names = sorted(monomial, key=lambda name: (order.index(name) if name in order else len(order), name))
        extents = [Polynomial.variable(name) for name in names]
        return extents if value == 1 else [Polynomial.constant(value), *extents]

    def _nest(
        self,
        target: tuple[Address, CType],
        source: tuple[Address, CType] | None,
        value: Data | None,
        dimensions: list[Polynomial],
        expression: nodes.Call,
    ) -> None:
        """Emit the nest of loops."""
        array, location = target[0].base, expression.location
        assert isinstance(array, Array)
        own = _depth(target[1])
        outer = self.orders.ordered(dimensions[: len(dimensions) - own])
        dimensions = [*outer, *dimensions[len(outer) :]]
        with ExitStack() as nest:
            variables: list[Polynomial] = []
            for extent in dimensions:
                loop = LoopRange(self.fresh("t"), ZERO, (extent,))
                self.sink.begin_loop(loop, "t", location)
                nest.callback(self.sink.end_loop)
                nest.enter_context(self.inside(loops=(loop,)))
                variables.append(Polynomial.variable(loop.variable))
            self.orders.note(outer, [str(variable) for variable in variables[: len(outer)]])
            if source is not None:
                origin = source[0].base
                assert isinstance(origin, Array)
                cell = _moved(source[0], variables, dimensions, _depth(source[1]))
                self.rely_on(source[0])
                value = self.sink.load(origin, cell, self.domain, location)
            self.rely_on(target[0])
            assert value is not None
            self.sink.store(array, _moved(target[0], variables, dimensions, own), value, self.domain, location)
            array.subscripted = True

    def _element(self, array: Array, byte: int | None, expression: nodes.Call) -> Data | None:
        """Give the element whose bytes are all alike."""
        if byte is None:
            return None
        if isinstance(array.element, IntegerType):
            pattern = int.from_bytes(bytes([byte]) * (array.element.width // _BYTE), "little")
            return self.sink.constant(array.element.wrap(pattern), array.element, expression.location)
        if byte:
            raise refusal("memory-call", expression.location, "`memset` of floating-point numbers to anything but 0")
        return self.sink.constant(0, array.element, expression.location)


def _is_typed(cast: nodes.Cast) -> bool:
    """Whether a conversion gives a pointer to elements or rows."""
    return isinstance(cast.ctype, PointerType) and isinstance(_cell(cast.ctype.element), NumberType)


def _cell(ctype: CType) -> CType:
    while isinstance(ctype, ArrayType):
        ctype = ctype.element
    return ctype


def _depth(ctype: CType) -> int:
    """Count the dimensions inside of what a pointer points to."""
    return 1 + _depth(ctype.element) if isinstance(ctype, ArrayType) else 0


def _moved(
    address: Address, variables: Sequence[Polynomial], dimensions: Sequence[Polynomial], own: int
) -> tuple[Polynomial, ...]:
    """Subscript an address by a place in the nest: its own inner dimensions each, the others as one offset."""
    outer = len(variables) - own
    offset, stride = ZERO, ONE
    for variable, extent in reversed(list(zip(variables[:outer], dimensions[:outer], strict=True))):
        offset, stride = offset + variable * stride, stride * extent
    *first, last = address.subscripts
    return (*first, last + offset, *variables[outer:])
