"""``memset``, ``memcpy``, ``std::fill_n`` and ``std::copy_n`` as the loops that they stand for.

The number of bytes must be a multiple of the element size for all sizes: ``n * sizeof(*a)`` is a loop over ``n``
elements, a product of several sizes a nest, and on a declared array every inner dimension is a loop.  ``memset`` writes
elements whose bytes are all alike: zeros, or any bytes for integers.  ``memmove`` within one array, and bytes that
are no whole elements, stay refused.  ``std::fill_n(target, count, value)`` and ``std::copy_n(source, count, target)``
count elements of what their target points to: numbers, or rows of a declared array.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import ArrayType, CType, IntegerType, NumberType, PointerType
from tensorlift.frontends.c.expressions import Expressions
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Address, Array, Data, Index, LoopRange, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

MEMORY_CALLS = {"memset", "memcpy", "memmove", "std::fill_n", "std::copy_n"}
_ARGUMENTS = 3
_BYTE = 8


class Memory(Expressions):
    """Execution of the calls of <string.h> that fill and copy."""

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
