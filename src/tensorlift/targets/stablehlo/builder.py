"""Operations of StableHLO, each with the type of its result, as lines of text.

The extents of a value are affine in the sizes, and open in its type where they are no numbers; one that may come out
negative there counts as none.  Sizes are values too: extents of the arguments, what is affine in them and in loops, and
vectors of them.
"""

from __future__ import annotations

from contextlib import contextmanager
from io import StringIO
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.printer import Printer

from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import integer_range, is_float, is_integer
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import UNIVERSE
from tensorlift.targets.mlir_text.operations import ELEMENT_TYPES
from tensorlift.targets.mlir_text.text import Lines, names_and_types
from tensorlift.targets.stablehlo.spans import Span, neutral_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.comprehension.definition import DerivedSize
    from tensorlift.diagnostics import LiftError
    from tensorlift.ir.tensor_program import Expression, Shape, SizeSource
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain

    Ints = Sequence[int]

_ESTIMATE = 256  # of every size
COMBINING = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "any": "or", "all": "and"}


class Array(NamedTuple):
    """A value of the program: its name with the sign before it, a number until all is there, and its type."""

    name: str
    shape: Shape
    dtype: DType

    @property
    def type(self) -> str:
        """The type as MLIR spells it."""
        return type_of(self.shape, self.dtype)


def type_of(shape: Shape, dtype: DType) -> str:
    """Spell the type of arrays: extents that are no numbers are open."""
    extents = "".join(f"{extent.constant if extent.is_constant else '?'}x" for extent in shape)
    return f"tensor<{extents}{ELEMENT_TYPES[dtype]}>"


def static(shape: Shape) -> list[int]:
    """Return extents that are numbers as such."""
    assert is_static(shape)
    return [extent.constant for extent in shape]


def is_static(shape: Shape) -> bool:
    """Tell whether all extents are numbers."""
    return all(extent.is_constant for extent in shape)


def estimate(extent: Affine) -> int:
    """Return a number for an extent, which costs are compared by."""
    return max(extent.evaluate(dict.fromkeys(extent.variables, _ESTIMATE)), 0)


class Sizes:
    """The sizes of one program, each computed once in a region."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self._symbols: dict[str, Array] = {}
        self._counters: set[str] = set()
        self._behind: dict[str, tuple[str, ...]] = {}

    # -- where they come from

    def take(self, name: str, argument: Array) -> None:
        """Let a size be an argument of the program."""
        self._symbols[name] = argument

    def count(self, name: str, position: Array) -> None:
        """Let a variable of a loop be a position."""
        self._symbols[name] = position
        self._counters.add(name)

    def extent_of(self, source: SizeSource, array: Array) -> Array:
        """Let a size be what an extent of an array tells."""
        counted = self.build.add("get_dimension_size", [array], (), "i32", f", dim = {source.axis}")
        value = self.build.convert(counted, "i64")
        if source.rest != ZERO:
            value = self.build.elementwise("subtract", value, self.index(source.rest))
        self._symbols[source.name] = self._quotient(value, Affine(source.factor))
        return self._symbols[source.name]

    def derive(self, derived: DerivedSize) -> Array:
        """Let a size be a quotient of others."""
        made_of = [self._behind.get(name, (name,)) for name in derived.made_of]
        self._behind[derived.name] = tuple(source for sources in made_of for source in sources)
        if not self._holds(derived.numerator, ZERO):
            raise self._needed(derived.numerator.variables, "a quotient of negative sizes rounds otherwise")
        self._symbols[derived.name] = self._quotient(self.index(derived.numerator), derived.divisor)
        return self._symbols[derived.name]

    def _quotient(self, value: Array, divisor: Affine) -> Array:
        return value if divisor == 1 else self.build.elementwise("divide", value, self.index(divisor))

    # -- what they give

    def index(self, value: Affine) -> Array:
        """Return an affine expression of sizes and of variables of loops."""
        return self._once(value, lambda: self._sum(value))

    def _once(self, key: object, compute: Callable[[], Array]) -> Array:
        return self.build.known(key) or self.build.remember(key, compute())

    def _sum(self, value: Affine) -> Array:
        total = self.build.constant(value.constant, (), "i64") if value.constant or not value.terms else None
        for name, factor in value.terms:
            part = self._symbols[name]
            if factor != 1:
                part = self.build.elementwise("multiply", part, self.build.constant(factor, (), "i64"))
            total = part if total is None else self.build.elementwise("add", part, total)
        assert total is not None
        return total

    def vector(self, extents: Sequence[Affine]) -> Array:
        """Return extents side by side; what may come out negative counts as none."""
        return self._once(("extents", tuple(extents)), lambda: self._vector(list(map(self._extent, extents))))

    def places(self, starts: Sequence[Affine], whole: Shape) -> Array:
        """Return where parts start side by side; one that may be behind the end, as nothing is read, is at the end."""
        key = ("places", tuple(starts), whole)
        return self._once(key, lambda: self._vector(list(map(self._place, starts, whole))))

    def limits(self, starts: Sequence[Affine], widths: Sequence[Affine], whole: Shape) -> Array:
        """Return where parts end that start at places: sums that shape inference knows where loops compute these."""
        is_plain = all(
            self._place(start, extent) is start and self._extent(width) is width and not self.is_counted(start)
            for start, width, extent in zip(starts, widths, whole, strict=True)
        )
        if is_plain or set(starts) == {ZERO}:
            return self.vector([start + width for start, width in zip(starts, widths, strict=True)])
        return self.build.elementwise("add", self.places(starts, whole), self.vector(widths))

    def _vector(self, values: Sequence[Affine | Array]) -> Array:
        numbers = [value.constant for value in values if isinstance(value, Affine) and value.is_constant]
        if len(numbers) == len(values):
            return self.build.numbers(tuple(numbers))
        return self.build.concatenate([self._alone(value) for value in values], 0)

    def _alone(self, value: Affine | Array) -> Array:
        """Return a size as a vector of one."""
        if isinstance(value, Affine) and value.is_constant:
            return self.build.numbers((value.constant,))
        return self._once(("alone", value), lambda: self.build.reshape(self._scalar(value), (ONE,)))

    def _scalar(self, value: Affine | Array) -> Array:
        return self.index(value) if isinstance(value, Affine) else value

    def _extent(self, extent: Affine) -> Affine | Array:
        return extent if self._holds(extent, ZERO) else self._extreme("maximum", extent, ZERO)

    def _place(self, start: Affine, extent: Affine) -> Affine | Array:
        place = start if self._holds(start, ZERO) else self._extreme("maximum", start, ZERO)
        is_inside = start == ZERO or self._holds(extent, start)
        return place if is_inside else self._extreme("minimum", place, self._extent(extent))

    def _extreme(self, name: str, value: Affine | Array, other: Affine | Array) -> Array:
        operands = value, other
        return self._once((name, operands), lambda: self.build.elementwise(name, *map(self._scalar, operands)))

    def _holds(self, greater: Affine, lesser: Affine) -> bool:
        """Tell whether a size is known not to be less: that of slices in loops, also where a loop never runs.

        XLA refuses a slice that starts behind its end, though nothing reaches it.
        """
        return self.build.holds(greater, lesser, anywhere=not self.is_counted(greater - lesser))

    def is_counted(self, value: Affine) -> bool:
        """Tell whether a value changes with a loop."""
        return value.mentions(self._counters)

    def check_inside(self, wanted: Sequence[Span], whole: Shape) -> None:
        """Demand that places which are numbers are inside of arrays, as slices are not clipped.

        Raises:
            LiftError: TL515, where an array of an open extent may be too short.

        """
        for span, extent in zip(wanted, whole, strict=True):
            if span.is_static and not extent.is_constant and not self._holds(extent, span.limit):
                raise self._needed(extent.variables, f"an array may have no cell {span.limit - 1}")

    def number(self, extent: Affine, why: str) -> int:
        """Return an extent as a number.

        Raises:
            LiftError: TL515, where it is none.

        """
        if not extent.is_constant:
            raise self._needed(extent.variables, why)
        return extent.constant

    def _needed(self, names: Sequence[str], why: str) -> LiftError:
        """Build the refusal of a program that needs sizes, or those that they are made of, as numbers."""
        listed = list(dict.fromkeys(source for name in names for source in self._behind.get(name, (name,))))
        what = f"the size {listed[0]}" if len(listed) == 1 else f"the sizes {', '.join(listed)}"
        example = ",".join(f"{name}=64" for name in listed)
        return refuse("TL515", f"{what} must be given: {why}", remedy=f"for example: --sizes {example}")


class Builder(Lines[Array]):
    """Adds operations to a program; a number that was there before is not made again."""

    def __init__(self, context: Domain) -> None:
        super().__init__(context)
        self.sizes = Sizes(self)
        self._numbers = count()

    def value(self, shape: Shape, dtype: DType) -> Array:
        """Return a value that nothing defines yet."""
        return Array(f"%{next(self._numbers)}", shape, dtype)

    def define(self, operation: str, shape: Shape, dtype: DType) -> Array:
        """Add an operation."""
        value = self.value(shape, dtype)
        self.line(f"{value.name} = {operation}")
        return value

    def add(self, name: str, operands: Sequence[Array], shape: Shape, dtype: DType, attributes: str = "") -> Array:
        """Add an operation by its name without the dialect, with attributes behind the operands and all types."""
        listed, types = names_and_types(operands)
        text = f"stablehlo.{name} {listed}{attributes} : ({types}) -> {type_of(shape, dtype)}"
        return self.define(text, shape, dtype)

    def folded(self, name: str, operands: Sequence[Array], attributes: str, combine: str | None) -> Array:
        """Add an operation of the type of its first operand, with a region that combines two numbers, or gives one."""
        first = operands[0]
        result = self.value(first.shape, first.dtype)
        listed, types = names_and_types(operands)
        self.line(f'{result.name} = "stablehlo.{name}"({listed}) <{{{attributes}}}> ({{')
        with self.region([((), first.dtype)] * 2) as (left, right):
            self.give_out([right if combine is None else self.elementwise(combine, left, right)])
        self.line(f"}}) : ({types}) -> {result.type}")
        return result

    @contextmanager
    def region(self, kinds: Sequence[tuple[Shape, DType]], inside: Domain = UNIVERSE) -> Iterator[list[Array]]:
        """Add what follows as a block with arguments of these types; ``inside`` is known of variables there."""
        arguments = [self.value(*kind) for kind in kinds]
        self.line(f"^bb0({', '.join(f'{a.name}: {a.type}' for a in arguments)}):")
        with self.inner(inside):
            yield arguments

    def give_out(self, values: Sequence[Array]) -> None:
        """End a region."""
        listed, types = names_and_types(values)
        self.line(f"stablehlo.return {listed} : {types}")

    # -- cells from nothing

    def constant(self, number: float, shape: Shape, dtype: DType) -> Array:
        """Return a tensor that holds a number everywhere."""
        key = (str(number) if number != number else number, shape, dtype)  # noqa: PLR0124 - NaN is not itself
        return self.known(key) or self.remember(key, self._constant(number, shape, dtype))

    def _constant(self, number: float, shape: Shape, dtype: DType) -> Array:
        if not is_static(shape):
            return self.broadcast(self.constant(number, (), dtype), shape)
        text = StringIO()
        element: Any = ELEMENT_TYPES[dtype]
        if is_float(dtype):
            Printer(text).print_float(float(number), element)
        else:
            low, high = integer_range(dtype)
            if not low <= number <= high:
                message = f"StableHLO has no constant {number} of type {dtype}"
                raise refuse("TL305", message, remedy="keep the number in the range of its type")
            Printer(text).print_int(int(number), element)
        return self.define(f"stablehlo.constant dense<{text.getvalue()}> : {type_of(shape, dtype)}", shape, dtype)

    def numbers(self, values: tuple[int, ...]) -> Array:
        """Return a vector of sizes that are numbers."""
        shape = (Affine(len(values)),)
        if len(set(values)) == 1:
            return self.constant(values[0], shape, "i64")
        return self.define(f"stablehlo.constant dense<{list(values)}> : {type_of(shape, 'i64')}", shape, "i64")

    def iota(self, dimension: int, shape: Shape, dtype: DType = "i64") -> Array:
        """Return the position along an axis."""
        if is_static(shape):
            return self.define(f"stablehlo.iota dim = {dimension} : {type_of(shape, dtype)}", shape, dtype)
        return self.add("dynamic_iota", [self.sizes.vector(shape)], shape, dtype, f", dim = {dimension}")

    # -- cell by cell

    def elementwise(self, name: str, *operands: Array) -> Array:
        """Apply a function of cells to operands of one shape and type."""
        listed, first = ", ".join(o.name for o in operands), operands[0]
        return self.define(f"stablehlo.{name} {listed} : {first.type}", first.shape, first.dtype)

    def compare(self, direction: str, left: Array, right: Array) -> Array:
        """Compare cells."""
        return self.add(f"compare {direction},", (left, right), left.shape, "bool")

    def select(self, condition: Array, chosen: Array, other: Array) -> Array:
        """Choose cells."""
        listed = f"{condition.name}, {chosen.name}, {other.name} : {condition.type}, {chosen.type}"
        return self.define(f"stablehlo.select {listed}", chosen.shape, chosen.dtype)

    def convert(self, value: Array, dtype: DType) -> Array:
        """Return a value in an element type; whether a number is not zero, as a truth value."""
        if value.dtype == dtype:
            return value
        if dtype == "bool":
            return self.compare("NE", value, self.constant(0, value.shape, value.dtype))
        if is_float(value.dtype) and dtype.startswith("u"):
            message = f"StableHLO gives zero for a negative {value.dtype} as {dtype}"
            raise refuse("TL307", message, remedy="convert to a signed type first")
        return self.add("convert", [value], value.shape, dtype)

    # -- the same cells elsewhere

    def broadcast(self, value: Array, shape: Shape) -> Array:
        """Return a value as one of a larger shape, along the last axes."""
        if value.shape == shape:
            return value
        dims = f", dims = {list(range(len(shape) - len(value.shape), len(shape)))}"
        if is_static(shape):
            return self.add("broadcast_in_dim", [value], shape, value.dtype, dims)
        return self.add("dynamic_broadcast_in_dim", [value, self.sizes.vector(shape)], shape, value.dtype, dims)

    def reshape(self, value: Array, shape: Shape) -> Array:
        """Add and drop axes of extent 1."""
        if value.shape == shape:
            return value
        if is_static(shape):
            return self.add("reshape", [value], shape, value.dtype)
        return self.add("dynamic_reshape", [value, self.sizes.vector(shape)], shape, value.dtype)

    def slice(self, value: Array, wanted: Sequence[Span]) -> Array:
        """Return the cells of spans of every axis, whose starts no loop computes."""
        if all(span == Span(ZERO, extent) for span, extent in zip(wanted, value.shape, strict=True)):
            return value
        shape = tuple(span.cells for span in wanted)
        if all(span.is_static for span in wanted):
            ends = (f"{s.start}:{s.limit}{f':{s.step}' if s.step != 1 else ''}" for s in wanted)
            return self.add("slice", [value], shape, value.dtype, f" [{', '.join(ends)}]")
        steps = self.sizes.vector([Affine(span.step) for span in wanted])
        return self._cut(value, [span.start for span in wanted], [span.width for span in wanted], steps, shape)

    def part(self, value: Array, starts: Sequence[Affine], extents: Shape) -> Array:
        """Return so many cells of every axis from positions on that are computed."""
        if is_static(extents):
            operands = [value, *map(self.sizes.index, starts)]
            return self.add("dynamic_slice", operands, extents, value.dtype, f", sizes = {static(extents)}")
        ones = self.constant(1, (Affine(len(starts)),), "i64")
        return self._cut(value, starts, extents, ones, extents)

    def _cut(
        self, value: Array, starts: Sequence[Affine], widths: Sequence[Affine], steps: Array, shape: Shape
    ) -> Array:
        first, limits = self.sizes.places(starts, value.shape), self.sizes.limits(starts, widths, value.shape)
        return self.add("real_dynamic_slice", [value, first, limits, steps], shape, value.dtype)

    def reverse(self, value: Array, axes: Sequence[int]) -> Array:
        """Reverse axes."""
        if not axes:
            return value
        text = f"stablehlo.reverse {value.name}, dims = {list(axes)} : {value.type}"
        return self.define(text, value.shape, value.dtype)

    def transpose(self, value: Array, order: Sequence[int]) -> Array:
        """Return a value whose axis ``k`` is axis ``order[k]``."""
        if list(order) == sorted(order):
            return value
        shape = tuple(value.shape[axis] for axis in order)
        return self.add("transpose", [value], shape, value.dtype, f", dims = {list(order)}")

    def concatenate(self, values: Sequence[Array], axis: int) -> Array:
        """Join values along an axis."""
        first = values[0]
        if len(values) == 1:
            return first
        total = sum((value.shape[axis] for value in values), ZERO)
        shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
        return self.add("concatenate", values, shape, first.dtype, f", dim = {axis}")

    # -- folds

    def reduce(self, op: str, value: Array, axes: Sequence[int], initial: Array | None = None) -> Array:
        """Fold axes."""
        if not axes:
            return value
        start = initial if initial is not None else self.constant(neutral_number(op, value.dtype), (), value.dtype)
        shape = tuple(extent for axis, extent in enumerate(value.shape) if axis not in axes)
        how = f"({value.name} init: {start.name}) applies stablehlo.{COMBINING[op]} across dimensions = {list(axes)}"
        types = f"({value.type}, {start.type}) -> {type_of(shape, value.dtype)}"
        return self.define(f"stablehlo.reduce{how} : {types}", shape, value.dtype)

    def running(self, op: str, value: Array, axis: int) -> Array:
        """Fold each cell with those before it along an axis: windows that reach far before the start."""
        shape, rank = value.shape, len(value.shape)
        extent = self.sizes.number(shape[axis], "a running fold is over windows of static extents")
        window = [1] * rank
        padding = [[0, 0] for _ in shape]
        window[axis], padding[axis][0] = max(extent, 1), max(extent - 1, 0)
        spread = f"dense<{padding if extent > 1 else 0}> : tensor<{rank}x2xi64>"
        attributes = f"padding = {spread}, window_dimensions = {array_text(window)}"
        operands = (value, self.constant(neutral_number(op, value.dtype), (), value.dtype))
        return self.folded("reduce_window", operands, attributes, COMBINING[op])


def apart(build: Builder, value: Array) -> Array:
    """Return an integer that has the name of a definition as a value that is no size or place of the program too."""
    is_shared = is_integer(value.dtype) and not value.shape and build.is_known(value)
    return build.add("reshape", [value], (), value.dtype) if is_shared else value


def array_text(values: Sequence[int]) -> str:
    """Spell numbers as an array."""
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def lacking(_: object, node: Expression) -> Array:
    """Refuse what no operation is written for."""
    raise refuse("TL305", f"no operation of StableHLO is written for {type(node).__name__}", remedy="lift to numpy")
