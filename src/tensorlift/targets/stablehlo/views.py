"""What subscripts and views are in StableHLO: spans of axes, cells behind views, diagonals, and what is made of them.

A span says for an axis where it starts, how many cells it has, and the step.

Sizes as values of a program: extents of its arguments, what is affine in them and in loops, and vectors of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.affine import ONE, ZERO, Affine
from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
    At,
    Diagonal,
    DiagonalMask,
    Elementwise,
    NewAxis,
    Range,
    Reverse,
    Variable,
)
from tensorlift.ops.dtypes import is_float
from tensorlift.ops.scalar_ops import neutral

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.ir.tensor_program import DerivedSize, Expression, Shape, SizeSource, SubscriptItem
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.stablehlo.builder import Array, Builder


class Span(NamedTuple):
    """Every ``step``-th cell of an axis, ``cells`` of them, from one on that loops may compute."""

    start: Affine
    cells: Affine
    step: int = 1

    @property
    def width(self) -> Affine:
        """The number of cells from the first to the last."""
        return (self.cells - 1) * self.step + 1 if self.cells != ZERO else ZERO

    @property
    def limit(self) -> Affine:
        """The position behind the last cell."""
        return self.start + self.width

    @property
    def is_static(self) -> bool:
        """Whether start and number of cells are numbers."""
        return self.start.is_constant and self.cells.is_constant


def spans(items: Sequence[SubscriptItem], shape: Shape, is_counted: Callable[[Affine], bool]) -> list[Span]:
    """Return what subscripts pick of every axis, clipped as slices clip where all are numbers.

    ``is_counted`` tells what loops change.

    Raises:
        LiftError: TL308, where the number of cells changes with a loop.

    """
    extents = iter(shape)
    found = [_span(item, next(extents)) for item in _axes(items)]
    if any(is_counted(span.cells) for span in found):
        raise changing("takes cells")
    return [*found, *(Span(ZERO, extent) for extent in extents)]


def reversed_axes(items: Sequence[SubscriptItem]) -> list[int]:
    """Return the axes that are reversed."""
    return [axis for axis, item in enumerate(_axes(items)) if isinstance(item, Reverse)]


def changing(what: str) -> LiftError:
    """Build the refusal of a loop that needs arrays of changing extents."""
    message = f"a loop {what} whose number changes with it, but shapes in StableHLO do not"
    return refuse("TL308", message, remedy="lift to numpy, jax or torch")


def _axes(items: Sequence[SubscriptItem]) -> Iterator[SubscriptItem]:
    return (item for item in items if not isinstance(item, NewAxis))


def _span(item: SubscriptItem, extent: Affine) -> Span:
    if isinstance(item, At):
        return Span(item.index, ONE)
    if not isinstance(item, Range):
        return Span(ZERO, extent)
    if all(place.is_constant for place in (item.start, item.stop, extent)):
        start = min(max(item.start.constant, 0), extent.constant)
        stop = min(max(item.stop.constant, start), extent.constant)
        return Span(Affine(start), Affine(-(-(stop - start) // item.step)), item.step)
    length = item.stop - item.start
    if not length.is_constant:
        return Span(item.start, item.extent, item.step)
    return Span(item.start, Affine(-(-max(length.constant, 0) // item.step)), item.step)


def neutral_number(op: str, dtype: DType) -> float:
    """Return the number that a fold does not change another by."""
    value = neutral(op, dtype)
    return float(value) if isinstance(value, str) else value


IGNORING_NAN = {"fmax": "maximum", "fmin": "minimum"}


def rounded_down(build: Builder, op: str, dividend: Array, divisor: Array) -> Array:
    """Return Python's remainder or quotient by a positive number: a negative remainder is one step too low."""
    rest = build.elementwise("remainder", dividend, divisor)
    is_negative = build.compare("LT", rest, build.constant(0, rest.shape, rest.dtype))
    if op == "mod":
        return build.select(is_negative, build.elementwise("add", rest, divisor), rest)
    whole = build.elementwise("divide", dividend, divisor)
    lower = build.elementwise("subtract", whole, build.constant(1, rest.shape, rest.dtype))
    return build.select(is_negative, lower, whole)


def ignoring_nan(build: Builder, op: str, left: Array, right: Array) -> Array:
    """Return the greater or the lesser, and the other one where one is no number."""
    either = build.elementwise(IGNORING_NAN[op], left, right)
    if not is_float(left.dtype):
        return either
    either = build.select(build.compare("NE", right, right), left, either)
    return build.select(build.compare("NE", left, left), right, either)


def spans_of(build: Builder, items: Sequence[SubscriptItem], value: Array) -> list[Span]:
    """Return what subscripts pick of every axis, which must be there."""
    wanted = spans(items, value.shape, build.sizes.is_counted)
    build.sizes.check_inside(wanted, value.shape)
    return wanted


def part_of(build: Builder, value: Array, wanted: Sequence[Span]) -> Array:
    """Return some cells of every axis."""
    if not any(build.sizes.is_counted(span.start) for span in wanted):
        return build.slice(value, wanted)
    value = build.part(value, [span.start for span in wanted], tuple(span.width for span in wanted))
    return build.slice(value, [span._replace(start=ZERO) for span in wanted])


def cells_at(build: Builder, value: Array, indices: Sequence[Array]) -> Array:
    """Return the cells at index arrays of one shape, one for each axis."""
    return build.gather(value, index_vectors(build, indices))


def index_vectors(build: Builder, indices: Sequence[Array]) -> Array:
    """Return index arrays of one shape, one for each axis, as an array of index vectors."""
    shape = indices[0].shape
    return build.concatenate([build.reshape(index, (*shape, ONE)) for index in indices], len(shape))


def foldable(build: Builder, op: str, value: Array) -> tuple[str, Array]:
    """Return a fold that StableHLO has, and what to fold: a neutral number where one is to be ignored."""
    if op not in IGNORING_NAN:
        return op, value
    op = op.removeprefix("f")
    if not is_float(value.dtype):
        return op, value
    neutral = build.constant(neutral_number(op, value.dtype), value.shape, value.dtype)
    return op, build.select(build.compare("NE", value, value), neutral, value)


def spread_in(build: Builder, old: Array, part: Array, wanted: Sequence[Span]) -> Array:
    """Put a part into an array, some cells apart; all extents are numbers."""
    starts, interior = [span.start.constant for span in wanted], [span.step - 1 for span in wanted]
    spread = build.pad(part, build.constant(0, (), old.dtype), starts, old.shape, interior)
    yes, no = build.constant(1, part.shape, "bool"), build.constant(0, (), "bool")
    return build.select(build.pad(yes, no, starts, old.shape, interior), spread, old)


class DiagonalStore(NamedTuple):
    """So many cells of a matrix on a diagonal that starts at a row and a column.

    They become ``values``, a number or one for each column, or ``values`` are added to them.
    """

    row: int
    column: int
    cells: int
    values: Expression
    adds: bool


def diagonal_store(mask: Expression | None, chosen: Expression, other: Expression) -> DiagonalStore | None:
    """Return what ``chosen`` where a mask holds, else a variable, stores into that variable, or None."""
    if not isinstance(mask, DiagonalMask) or not isinstance(other, Variable) or chosen.rank > 1:
        return None
    numbers = (mask.offset, *mask.shape, *other.shape)
    if chosen.dtype != other.dtype or not all(number.is_constant for number in numbers):
        return None
    rows, columns = (extent.constant for extent in mask.shape)
    row, column = max(-mask.offset.constant, 0), max(mask.offset.constant, 0)
    cells = min(rows - row, columns - column)
    if mask.shape != other.shape or cells < 1:
        return None
    added = None if mask.offset.constant else _added(chosen, other)
    return DiagonalStore(row, column, cells, chosen if added is None else added, added is not None)


def _added(chosen: Expression, other: Variable) -> Expression | None:
    """Return what is added to the diagonal of a variable, None where something else is computed."""
    if not isinstance(chosen, Elementwise) or chosen.op != "add":
        return None
    for old, update in (chosen.arguments, reversed(chosen.arguments)):
        if isinstance(old, Diagonal) and isinstance(old.argument, Variable) and old.argument.name == other.name:
            return update
    return None


Indices = tuple[Affine, ...]


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
        self._symbols[source.name] = self._quotient(value, source.factor)
        return self._symbols[source.name]

    def derive(self, derived: DerivedSize) -> Array:
        """Let a size be a quotient of others."""
        made_of = [self._behind.get(name, (name,)) for name in derived.numerator.variables]
        self._behind[derived.name] = tuple(source for sources in made_of for source in sources)
        if not self._holds(derived.numerator, ZERO):
            raise self._needed(derived.numerator.variables, "a quotient of negative sizes rounds otherwise")
        self._symbols[derived.name] = self._quotient(self.index(derived.numerator), derived.divisor)
        return self._symbols[derived.name]

    def _quotient(self, value: Array, divisor: int) -> Array:
        if divisor == 1:
            return value
        return self.build.elementwise("divide", value, self.build.constant(divisor, (), "i64"))

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
