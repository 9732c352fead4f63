"""Scopes: which index variables are axes, over which ranges, and values whose axes are named by those variables.

A `Value` is an expression whose axes carry index variables.  Values combine by name: `aligned` permutes and inserts
axes so that NumPy's broadcasting does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.ranges import ends_of, in_range
from tensorlift.ir.tensor_program import Elementwise, Expression, NewAxis, Range
from tensorlift.ir.views import whole
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, NotAffine, at_least, less
from tensorlift.poly.variables import without_divisions, without_redundancies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from fractions import Fraction

    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import LiftError
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.derive.builder import Builder

Span = tuple[Affine, Affine]  # first value, value after the last


class SplitAxis(Exception):  # noqa: N818 - a way out, not a failure
    """Raised where the value at one position of an axis has to be told apart from the others."""

    def __init__(self, axis: str, position: Affine) -> None:
        super().__init__(axis)
        self.axis = axis
        self.position = position


class Value(NamedTuple):
    """An expression and the index variable of each of its axes."""

    expression: Expression
    axes: tuple[str, ...]


@dataclass(eq=False)
class Scope:
    """The axes of an evaluation in their order, with ranges; ``domain`` holds the points that count.

    ``context`` is what is known of sizes and loop variables alone, also where no point counts.  ``guard`` tells, inside
    the arms of a select, where the value counts: elsewhere operations that may fail get a harmless operand.  It is the
    opposite of ``unless`` where a select asks for that: spelled alike, the two are seen to be one condition.
    ``failing`` remembers, for the whole program, which terms have such operations.  ``ranges`` is what the types of
    sizes say of them.  Where it ``fills`` folds, they may begin with what they ignore, if there may be nothing else.
    Sizes may choose whether a piece is there at all ``by_sizes``, as a last resort.
    """

    build: Builder
    spans: dict[str, Span]
    domain: Domain
    context: Domain
    shapes: Mapping[str, tuple[Affine, ...]]
    evaluate: Callable[[Term, Scope], Value]
    failing: dict[Term, bool]
    guard: Value | None = None
    unless: Value | None = None
    memo: dict[Term, Value] = field(default_factory=dict)
    ranges: Domain = UNIVERSE
    fills: bool = False
    by_sizes: bool = False
    uncovered: dict[Term, LiftError] = field(default_factory=dict, init=False)  # what was found to have no value here

    def inner(self, domain: Domain, spans: Mapping[str, Span] | None = None) -> Scope:
        """Return the scope of a part of an expression, with fewer points or more axes."""
        return replace(self, spans={**self.spans, **(spans or {})}, domain=domain, memo={})

    def over(self, spans: dict[str, Span], domain: Domain) -> Scope:
        """Return the scope of an expression over other axes."""
        return replace(self, spans=spans, domain=domain, memo={})

    def within(self, context: Domain) -> Scope:
        """Return the scope of what is evaluated for some sizes only."""
        return replace(self, context=context, memo={})

    def filled(self, value: Value, axes: tuple[str, ...], shape: tuple[Affine, ...]) -> Expression:
        """Return a value over axes with all their cells, of a type that the library gives it."""
        expression = self.aligned(value, axes)
        if not expression.shape and shape:
            return self.build.full(expression, shape, expression.dtype)
        return self.build.copy(expression) if expression.is_weak else self.build.broadcast(expression, shape)

    def guarded(self, condition: Value, *, holds: bool = True) -> Scope:
        """Return the scope of an arm that counts only where the condition is so; what is known already stays known."""
        guard = condition if holds else self.combined("not", condition)
        if self.guard is not None:
            return replace(self, guard=self.combined("and", self.guard, guard), unless=None, memo=dict(self.memo))
        return replace(self, guard=guard, unless=None if holds else condition, memo=dict(self.memo))

    def where_it_counts(self, guard: Value, value: Value, other: Value) -> Value:
        """Return a value where an arm counts, and a harmless one elsewhere."""
        condition = guard.expression
        if self.unless is not None:
            return self.combined("select", self.unless, other, value)
        if isinstance(condition, Elementwise) and condition.op == "not":
            return self.combined("select", Value(condition.arguments[0], guard.axes), other, value)
        return self.combined("select", guard, value, other)

    @property
    def box(self) -> Domain:
        """All points that are evaluated, whether they count or not."""
        return self.context & span_box(self.spans)

    def is_of_sizes(self, domain: Domain) -> bool:
        """Tell whether a domain mentions extents alone: no index, and no number that may be known late."""
        is_known = self.build.tells(domain, self.shapes.values(), by_numbers=self.by_sizes)
        return is_known and not any(map(domain.mentions, self.spans))

    def holds(self, dtype: DType, value: Affine) -> bool:
        """Tell whether a type holds an integer at each point that is evaluated, a float type without rounding."""
        constraints = in_range(value, dtype)
        return not constraints or (self.box & self.ranges).implies(*constraints)

    def extent(self, name: str) -> Affine:
        """Return the number of values of an axis."""
        first, after = self.spans[name]
        return after - first

    def range(self, start: Affine, stop: Affine, extent: Affine) -> Range:
        """Return a slice of an axis; the stop of an empty one may be negative, and must not count from the end."""
        counts_from_end = stop.is_constant or (extent - stop).is_constant
        return Range(start, stop, 1, not counts_from_end and not self.context.implies(at_least(stop, 0)))

    def stepped(self, start: Affine, last: Affine, step: int, extent: Affine) -> Range:
        """Return a slice with a step by its first and last element; of an empty one the last is before the first."""
        end = self._plain_end(last, step, extent)
        if end is None and not self.context.implies(at_least(last, start)):
            end = last + step  # of no elements that is the start
        return Range(start, last + 1, step, end=end)

    def _plain_end(self, last: Affine, step: int, extent: Affine) -> Affine | None:
        """Return an end behind the last element without a quotient that it mentions, None where that is not needed."""
        for name, factor in last.terms:
            for numerator, divisor in self._quotients(name):
                if factor % divisor:
                    continue
                for rest in range(divisor):
                    end = last + 1 + (numerator - rest - Affine.var(name, divisor)) * (factor // divisor)
                    is_behind = self.context.implies(at_least(end, last + 1), at_least(last + step, end))
                    if is_behind and ((extent - end).is_constant or self.context.implies(at_least(end, 0))):
                        return end
        return None

    def _quotients(self, name: str) -> Iterator[tuple[Affine, int]]:
        """Yield numerators and divisors of which a size is the quotient, rounded down."""
        for constraint, is_equality in _only_conjunct(self.context):
            divisor = -constraint.coefficient(name)
            if divisor > 1 and not is_equality:
                yield constraint + Affine.var(name, divisor), divisor

    def ordered(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return axes without repetition in the order of the scope."""
        wanted = set(names)
        return tuple(name for name in self.spans if name in wanted)

    def axes_of(self, term: Term) -> tuple[str, ...]:
        """Return the axes on which a term depends."""
        return self.ordered(term.free)

    def axes_of_affine(self, index: Affine) -> tuple[str, ...]:
        """Return the axes that an affine expression mentions."""
        return tuple(name for name in self.spans if index.coefficient(name))

    def permuted(self, value: Value, axes: tuple[str, ...]) -> Value:
        """Bring the value's axes into the order in which they stand in ``axes``."""
        wanted = tuple(a for a in axes if a in value.axes)
        if wanted == value.axes:
            return value
        permutation = tuple(value.axes.index(a) for a in wanted)
        return Value(self.build.transpose(value.expression, permutation), wanted)

    def aligned(self, value: Value, axes: tuple[str, ...], *, leading: bool = False) -> Expression:
        """Give the value the axes ``axes``, missing ones of extent 1; leading missing ones only where asked for."""
        value = self.permuted(value, axes)
        if not value.axes:
            return value.expression
        items = [whole(self.extent(a)) if a in value.axes else NewAxis() for a in axes]
        while not leading and isinstance(items[0], NewAxis):
            items.pop(0)
        if all(not isinstance(item, NewAxis) for item in items):
            return value.expression
        last = max(k for k, item in enumerate(items) if isinstance(item, NewAxis))
        return self.build.subscript(value.expression, items[: last + 1])

    def common_axes(self, values: tuple[Value, ...]) -> tuple[str, ...]:
        """Return the axes of all values, in the scope's order unless the operand that has them all has another."""
        ordered = self.ordered(a for value in values for a in value.axes)
        complete = [value.axes for value in values if len(value.axes) == len(ordered)]
        return complete[0] if complete and ordered not in complete else ordered

    def number(self, value: Fraction | int | str, dtype: DType) -> Value:
        """Return a number."""
        return Value(self.build.literal(value, dtype), ())

    def converted(self, value: Value, dtype: DType) -> Value:
        """Convert a value to another type."""
        return Value(self.build.cast(value.expression, dtype), value.axes)

    def combined(self, op: str, *values: Value) -> Value:
        """Apply a scalar function to values."""
        axes = self.common_axes(values)
        return Value(self.build.elementwise(op, *(self.aligned(v, axes) for v in values)), axes)


def span_box(spans: Mapping[str, Span]) -> Domain:
    """Return the points with every variable in its range."""
    constraints = []
    for name, (first, after) in spans.items():
        constraints += [at_least(name, first), less(name, after)]
    return Domain.of(*constraints)


def ends_over(index: Affine, spans: Mapping[str, Span]) -> tuple[Affine, Affine]:
    """Return the least and the greatest value of an affine expression over a box."""
    low = high = index
    for name, (first, after) in spans.items():
        ends = (first, after - 1) if index.coefficient(name) > 0 else (after - 1, first)
        low, high = low.substitute({name: ends[0]}), high.substitute({name: ends[1]})
    return low, high


def range_of(domain: Domain, name: str, others: Iterable[str]) -> Span | None:
    """Return the range of a variable in a domain, whatever the ``others`` are; None where no single range fits."""
    spans = ranges_of(domain, (name,), others)
    return None if spans is None else spans[name]


def ranges_of(domain: Domain, names: Iterable[str], others: Iterable[str]) -> dict[str, Span] | None:
    """Return the range of each variable, whatever the ``others`` are; None where one has no single range."""
    hidden = tuple(others)
    constraints = _only_conjunct(domain)
    spans: dict[str, Span] = {}
    for name in names:
        rest = [other for other in hidden if other != name]
        span = _read_off(constraints, name, rest) or _projected(domain, name, rest)
        if span is None:
            return None
        spans[name] = span
    return spans


def ranges_between(domain: Domain, names: Iterable[str], scope: Scope) -> tuple[dict[str, Span], Domain] | None:
    """Return the range of each variable from the greatest of several ends to the least of several, and what these are.

    In a loop these ends are numbers that the program computes: ``low = max(i - k, 0)``.
    """
    names, build = tuple(names), scope.build
    if not (build.chooses_in_loops and build.around):
        return None
    constraints, spans, facts = _only_conjunct(domain), dict[str, Span](), UNIVERSE
    for name in names:
        others = [other for other in (*scope.spans, *names) if other != name]
        span = _read_off(constraints, name, others) or _projected(domain, name, others)
        if span is None:
            ends = list(_ends(constraints, name))
            lows, highs = ([end for end, is_low in ends if is_low is kind] for kind in (True, False))
            if not lows or not highs or not all(scope.is_of_sizes(Domain.of(at_least(end, 0))) for end, _ in ends):
                return None
            lows = _tightest(lows, lambda one, other: scope.context.implies(at_least(one, other)))
            highs = _tightest(highs, lambda one, other: scope.context.implies(at_least(other, one)))
            span = _end(build, "max", lows), _end(build, "min", highs)
            if scope.context.implies(*(at_least(high, 0) for high in highs)):
                facts &= Domain.of(at_least(span[1], 0))
            facts &= Domain.of(*(at_least(span[0], low) for low in lows), *(at_least(high, span[1]) for high in highs))
        spans[name] = span
    return spans, facts


def _end(build: Builder, op: str, values: list[Affine]) -> Affine:
    """Return the greatest or the least of some sizes, under a name that statements assign."""
    if len(values) == 1:
        return values[0]
    value = reduce(partial(build.elementwise, op), map(build.size, values))
    name = next((name for name, known in build.ends.items() if known is value), None)
    if name is None:
        stem = "low" if op == "max" else "high"
        name = next(name for number in count() if (name := f"{stem}{number or ''}") not in build.taken)
        build.taken.add(name)
        build.ends[name] = value
    return Affine.var(name)


def _ends(constraints: list[Constraint], name: str) -> Iterator[tuple[Affine, bool]]:
    """Yield where a variable may begin, and where it has ended, by the constraints on it alone."""
    for constraint in constraints:
        coefficient = constraint.affine.coefficient(name)
        rest = constraint.affine - Affine.var(name, coefficient)
        if coefficient and (constraint.is_equality or abs(coefficient) != 1):
            return
        if coefficient:
            yield (-rest, True) if coefficient == 1 else (rest + 1, False)


def _tightest(ends: list[Affine], implies: Callable[[Affine, Affine], bool]) -> list[Affine]:
    """Leave out the ends that another one implies."""
    for end in list(ends):
        others = [other for other in ends if other is not end]
        ends = others if any(implies(other, end) for other in others) else ends
    return ends


def _only_conjunct(domain: Domain) -> list[Constraint]:
    """Return the constraints of a convex domain, none for any other."""
    try:
        conjuncts = domain.conjuncts()
    except NotAffine:  # a stride, of a loop around or to be told otherwise: the range is that without it
        conjuncts = without_redundancies(without_divisions(domain)).conjuncts()
    return conjuncts[0] if len(conjuncts) == 1 else []


def _projected(domain: Domain, name: str, others: list[str]) -> Span | None:
    ends = ends_of(domain.project_out(*others), name)
    return None if ends is None else (ends[0], ends[1] + 1)


def _read_off(constraints: list[Constraint], name: str, others: list[str]) -> Span | None:
    """Return the range where the constraints state it without the other variables."""
    ends: dict[int, Affine] = {}
    for constraint in constraints:
        coefficient = constraint.affine.coefficient(name)
        if not coefficient:
            continue
        rest = constraint.affine - Affine.var(name, coefficient)
        if abs(coefficient) != 1 or rest.mentions(others):
            return None
        if constraint.is_equality:
            value = rest * -coefficient
            return value, value + 1
        if coefficient in ends:
            return None
        ends[coefficient] = -rest if coefficient == 1 else rest + 1
    return (ends[1], ends[-1]) if len(ends) == 2 else None  # noqa: PLR2004 - both ends
