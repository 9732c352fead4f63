"""Machine integers whose value is known as a polynomial of indices and sizes.

An `Exact` has the bits of its polynomial modulo two to the width, which sums, differences and products keep.  What an
operation reads of the bits, as signed or as unsigned, is the polynomial where its range shows that, or where it was
computed by operations whose overflow is undefined: an execution that goes on has not overflowed.
"""

from __future__ import annotations

from functools import partial, reduce
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.ops.dtypes import DType, integer_range, width
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less, parse
from tensorlift.poly.polynomial import ONE, Polynomial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.definition import DerivedSize, Summary
    from tensorlift.comprehension.terms import Term

_MOST_RESTS = 8
_MOST_PARTS = 1 << 13  # of sums of products: a loop over five sizes takes 5,500, and more take seconds


class Exact(NamedTuple):
    """An integer by its polynomial; ``is_signed`` where the signed value of its bits is known to be just that."""

    value: Polynomial
    is_signed: bool


class Known(NamedTuple):
    """What is known of integers besides a context: names of quotients of sizes, extents, and numbers of bytes.

    ``memories`` are the numbers of cells that arguments have, with the bytes of one: no memory has 2**63 bytes.
    """

    derived: tuple[DerivedSize, ...]
    extents: tuple[Polynomial, ...]
    memories: tuple[tuple[Polynomial, int], ...]

    @staticmethod
    def of(summary: Summary) -> Known:
        """Return what definitions tell."""
        shapes = [(info, [Polynomial.of(extent) for extent in info.shape]) for info in summary.arrays.values()]
        extents = dict.fromkeys(e for _, shape in shapes for e in shape if not e.is_constant)
        memories = [
            (prod(shape, start=ONE), (width(info.dtype) + 7) // 8) for info, shape in shapes if info.is_parameter
        ]
        return Known(summary.derived, tuple(extents), tuple(memories))

    def is_in_memory(self, value: Polynomial) -> bool:
        """Tell whether a number of bytes is not more than an argument has."""
        return any(value == cells.scale(size) for cells, most in self.memories for size in range(1, most + 1))


NOTHING = Known((), (), ())


def as_signed(integer: Exact, dtype: DType, context: Domain, known: Known) -> Polynomial | None:
    """Return the signed value of an integer, or None where the polynomial may not be that."""
    if integer.is_signed:
        return integer.value
    return integer.value if lies_in(integer.value, *integer_range(dtype), context, known) else None


def as_unsigned(integer: Exact, dtype: DType, context: Domain, known: Known) -> Polynomial | None:
    """Return the unsigned value of an integer of a signed type, or None where the polynomial may not be that."""
    high = None if integer.is_signed else 2 * integer_range(dtype)[1] + 1
    return integer.value if lies_in(integer.value, 0, high, context, known) else None


def are_equal_bits(left: Exact, right: Exact, dtype: DType, context: Domain, known: Known) -> Polynomial | None:
    """Return a difference that is zero just where two integers have the same bits, or None where that is not known.

    Numbers that are the same modulo two to the width are the same if they are less than that apart.
    """
    difference, high = left.value - right.value, integer_range(dtype)[1]
    is_near = difference.as_affine() is not None and lies_in(difference, -2 * high - 1, 2 * high + 1, context, known)
    return difference if is_near else None


def lies_in(value: Polynomial, low: int, high: int | None, context: Domain, known: Known = NOTHING) -> bool:
    """Tell whether an integer is in a range; sizes are taken to stay within 64 bits with a sign."""
    exact = value.as_affine()
    least, most = integer_range("i64")
    if exact is None:
        is_low = high is None or (high >= most and known.is_in_memory(value))
        return is_low and is_nonnegative(value, context, known.extents)
    if low == least or (high is not None and high >= most):
        context = context & Domain.of(*(c for n in exact.variables for c in (at_least(n, least), at_least(most, n))))
    return context.implies(at_least(exact, low), *(() if high is None else (at_least(high, exact),)))


def is_nonnegative(value: Polynomial, context: Domain, extents: Iterable[Polynomial]) -> bool:
    """Tell whether a polynomial is shown to be at least 0: affine, or a sum of products of what is.

    With a factor ``v >= 0``, a variable or one of ``extents``, ``q * v + r`` is where ``q - c`` and ``r + c * v`` are,
    for some ``c``: ``h * w - 1 - (y * w + x)`` is ``(h - 1 - y) * w + (w - 1 - x)``.
    """
    known: dict[Polynomial, bool] = {}  # ways to divide meet in the same parts

    def is_shown(value: Polynomial) -> bool:
        if value not in known:
            known[value] = len(known) < _MOST_PARTS and shown(value)
        return known[value]

    def shown(value: Polynomial) -> bool:
        exact = value.as_affine()
        if exact is not None:
            return context.implies(at_least(exact, 0))
        names = {name for monomial in value.terms if len(monomial) > 1 for name in monomial}
        variables = [Polynomial.variable(name) for name in sorted(names)]
        for factor in (*(e for e in extents if not names.isdisjoint(e.variables()) and e not in variables), *variables):
            quotient, rest = value.divide(factor)
            for change in (0, 1, -1):
                parts = rest + factor.scale(change), factor, quotient - Polynomial.constant(change)
                if all(_size(part) < _size(value) and is_shown(part) for part in parts):
                    return True
        return False

    return is_shown(value)


def is_room(value: Polynomial, context: Domain, derived: Iterable[DerivedSize]) -> bool:
    """Tell whether a polynomial is shown to be at least 0, where ``n // d`` times ``d`` is at most ``n``."""
    if is_nonnegative(value, context, ()):
        return True
    for size in derived:
        times, rest = value.divide(Polynomial.variable(size.name) * Polynomial.of(size.divisor))
        least = rest + times * Polynomial.of(size.numerator)
        if times.terms and context.implies(*size.demands) and is_nonnegative(-times, context, ()):
            return is_nonnegative(least, context, ())
    return False


def _size(value: Polynomial) -> int:
    """Return the number of factors in products."""
    return sum(len(monomial) for monomial in value.terms if len(monomial) > 1)


def divided(
    value: Polynomial, divisor: Polynomial, context: Domain, extents: Iterable[Polynomial]
) -> Polynomial | None:
    """Return the quotient of two integers that are not negative, or None where it is not shown to be a polynomial.

    It is rounded down, and to zero, as the rest is at least 0 and below the divisor.
    """
    quotient, rest = value.divide(divisor)
    for change in (0, 1, -1):
        left, found = rest + divisor.scale(change), quotient - Polynomial.constant(change)
        if all(is_nonnegative(part, context, extents) for part in (left, divisor - ONE - left, found)):
            return found
    return None


def divided_by_cases(
    value: Polynomial, divisor: Polynomial, context: Domain, *, is_down: bool
) -> list[tuple[Domain, Polynomial]]:
    """Return the quotient of an integer that is less than twice another one: 0 or 1; nothing where it is not so.

    Where it is rounded down the integer may be negative, but no less than the other one says: -1.
    """
    number, size = value.as_affine(), divisor.as_affine()
    if number is None or size is None:
        return []
    found = [
        (Domain.of(at_least(number, size * times), less(number, size * (times + 1)), at_least(size, 1)), times)
        for times in ((-1, 0, 1) if is_down else (0, 1))
    ]
    if not context.is_subset(Domain.union(domain for domain, _ in found)):
        return []
    return [(domain, Polynomial.constant(times)) for domain, times in found if not context.is_disjoint(domain)]


def rests_by_cases(value: Polynomial, divisor: int, context: Domain) -> list[tuple[Domain, int]]:
    """Return what a division of an integer leaves over; nothing where it may be negative, or there are many cases."""
    number = value.as_affine()
    if number is None or not 1 < divisor <= _MOST_RESTS or not context.implies(at_least(number, 0)):
        return []
    names = number.variables
    return [(parse(names, f"({number}) mod {divisor} = {rest}"), rest) for rest in range(divisor)]


def as_term(integer: Exact, dtype: DType) -> Term:
    """Return an integer as a term that computes it in a signed machine type."""
    exact = integer.value.as_affine()
    if exact is not None and (integer.is_signed or exact.is_constant):
        return terms.index(exact, dtype)
    total: Term | None = None
    products = sorted(integer.value.terms.items())
    linear = Polynomial({monomial: factor for monomial, factor in products if len(monomial) <= 1})
    if integer.is_signed and dtype == "i64" and linear.terms and (alone := linear.as_affine()) is not None:
        total = terms.index(alone, dtype)  # as definitions have it
        products = [(monomial, factor) for monomial, factor in products if len(monomial) > 1]
    for monomial, factor in products:
        parts = [_variable(name, dtype, fits=integer.is_signed) for name in monomial]
        number = terms.constant(factor, dtype)
        if factor != 1 or not parts:
            parts.insert(0, number)
        product = reduce(partial(terms.apply, "mul"), parts)
        total = product if total is None else terms.apply("add", total, product)
    assert total is not None
    return total


def _variable(name: str, dtype: DType, *, fits: bool) -> Term:
    """Return an index or a size, of which the type may hold but the lower bits."""
    return terms.index(Affine.var(name), dtype) if fits else terms.cast(terms.index(Affine.var(name), "i64"), dtype)
