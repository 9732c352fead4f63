"""Sizes as values of a program: extents of its arguments, what is affine in them and in loops, and vectors of them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ONE, ZERO, Affine
from tensorlift.comprehension.domain import Domain, at_least
from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.ir.tensor_program import DerivedSize, Shape, SizeSource
    from tensorlift.targets.stablehlo.builder import Array, Builder
    from tensorlift.targets.stablehlo.views import Span


class Sizes:
    """The sizes of one program, each computed once; ``context`` is what is known of them."""

    def __init__(self, build: Builder, context: Domain) -> None:
        self.build = build
        self._outset = context
        self._inside = context  # of loops
        self._symbols: dict[str, Array] = {}
        self._counters: set[str] = set()
        self._behind: dict[str, tuple[str, ...]] = {}
        self._known: dict[object, Array] = {}

    @contextmanager
    def region(self) -> Iterator[None]:
        """Forget at the end what is computed, and known, inside a region."""
        known, symbols, inside = self._known, self._symbols, self._inside
        self._known, self._symbols = dict(known), dict(symbols)
        try:
            yield
        finally:
            self._known, self._symbols, self._inside = known, symbols, inside

    # -- where they come from

    def take(self, name: str, argument: Array) -> None:
        """Let a size be an argument of the program."""
        self._symbols[name] = argument

    def count(self, name: str, position: Array, inside: Domain) -> None:
        """Let a variable of a loop be a position, of which is known what a domain says."""
        self._symbols[name] = position
        self._counters.add(name)
        self._inside = self._inside & inside

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
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

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
        difference = greater - lesser
        if difference.is_constant:
            return difference.constant >= 0
        context = self._inside if self.is_counted(difference) else self._outset
        return context.implies(at_least(difference, 0))

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
