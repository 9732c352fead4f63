"""Integer arithmetic of C on exact polynomials.

Signed overflow is undefined in C, so a signed result is exact. Unsigned arithmetic wraps: the result carries the
needs under which it does not (not below zero; for 32 bits, or large factors, also not above the maximum). A need is
proved, or recorded as a precondition of the function, where the value steers a loop or a subscript.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.ops.c_types import BOOL, INT, LONG, IntegerType
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location
    from tensorlift.poly.loops import Domain
    from tensorlift.poly.ranges import Ranges

_ADDRESS_BITS = 64
_SMALL_BITS = 8  # a number is small in a type where so many of its highest bits are zero
_LARGE_FACTOR = 1 << 16  # objects have less than 2**48 bytes
_LARGE_ADDEND = 1 << 62
_TERM_LIMIT = 1200
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


@dataclass(frozen=True, slots=True)
class Need:
    """A condition, ``polynomial >= 0``, under which a polynomial equals the value that C computes.

    Without it a ``wraps`` value is still right modulo the range of its type.
    """

    kind: str
    polynomial: Polynomial
    location: Location
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An integer value with its C type; ``needs`` are the conditions that its exactness rests on."""

    polynomial: Polynomial
    ctype: IntegerType
    needs: tuple[Need, ...] = ()


class Setting(NamedTuple):
    """Where an operator stands, and how wide a signed type is that does not wrap: in C its overflow is not defined.

    Where it is, in other languages, 64 bits hold what counts objects, but not large multiples of it.

    Without a domain, in analysis runs, a division is taken as exact under a need, to be proved where it is used.
    """

    ranges: Ranges
    domain: Domain | None
    location: Location
    exact_from: int = INT.width


def fit(polynomial: Polynomial, ctype: IntegerType, needs: tuple[Need, ...], setting: Setting) -> Index:
    """Give the result of an operation in its type: wrapped if constant, with needs where others may wrap."""
    location = setting.location
    value = polynomial.constant_value
    if value is not None:
        return Index(Polynomial.constant(ctype.wrap(value)), ctype, needs)
    is_large = any(_is_large(monomial, factor) for monomial, factor in polynomial.terms.items())
    if ctype.signed and ctype.width >= setting.exact_from and not (is_large and setting.exact_from > INT.width):
        return Index(polynomial, ctype, needs)
    if ctype.signed:
        rooms = (Polynomial.constant(ctype.maximum) - polynomial, polynomial - Polynomial.constant(ctype.minimum))
        return Index(polynomial, ctype, needs + tuple(Need("overflow", room, location, wraps=True) for room in rooms))
    polynomial = _near_zero(polynomial, ctype)
    return Index(polynomial, ctype, needs + _range_needs(polynomial, ctype, location))


def _near_zero(polynomial: Polynomial, ctype: IntegerType) -> Polynomial:
    """Take a constant addend for a small number, below zero too, where it is one in its type: -1 for the greatest.

    Another one is what the type holds: 200 for -56 in 8 bits.
    """
    addend, count = polynomial.terms.get((), 0), ctype.maximum + 1
    small = (addend + count // 2) % count - count // 2
    meant = small if abs(small) <= ctype.maximum >> _SMALL_BITS else addend % count
    return polynomial + Polynomial.constant(meant - addend)


def _range_needs(polynomial: Polynomial, ctype: IntegerType, location: Location) -> tuple[Need, ...]:
    """Give the needs for a polynomial to lie in a type; the top of 64 bits is out of reach of sizes times factors."""
    needs: list[Need] = []
    if not ctype.signed and any(value < 0 for value in polynomial.terms.values()):
        needs.append(Need("overflow", polynomial, location, wraps=True))
    if ctype.width < _ADDRESS_BITS or any(_is_large(*term) for term in polynomial.terms.items()):
        most = min(ctype.maximum, LONG.maximum)  # positions and sizes are signed
        needs.append(Need("overflow", Polynomial.constant(most) - polynomial, location, wraps=True))
    return tuple(needs)


def counts_objects(polynomial: Polynomial) -> bool:
    """Tell whether a value is a sum of sizes and positions, each a few times, so that 64 bits hold it easily."""
    return not small_part(polynomial)[1].terms


def small_part(polynomial: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Part a polynomial into what counts objects, and products and terms with large factors: they may leave 64 bits."""
    rest = {m: value for m, value in polynomial.terms.items() if len(m) > 1 or _is_large(m, value)}
    return Polynomial({m: value for m, value in polynomial.terms.items() if m not in rest}), Polynomial(rest)


def _is_large(monomial: tuple[str, ...], factor: int) -> bool:
    return abs(factor) >= (_LARGE_FACTOR if monomial else _LARGE_ADDEND)


def convert(index: Index, ctype: IntegerType, location: Location) -> Index | None:
    """Convert to another integer type; None for a conversion to ``_Bool``, which is a comparison."""
    value = index.polynomial.constant_value
    if value is not None:
        return Index(Polynomial.constant(ctype.wrap(index.ctype.wrap(value))), ctype, index.needs)
    if ctype is BOOL:
        return None
    if ctype.width > index.ctype.width:
        index = Index(index.polynomial, index.ctype, _essential(index.needs))
    if ctype.contains(index.ctype):
        return Index(index.polynomial, ctype, index.needs)
    if ctype.width == index.ctype.width < INT.width and not ctype.signed:
        return _without_sign(index, ctype, location)
    needs = list(index.needs)
    if index.ctype.signed and not ctype.signed:
        needs.append(Need("overflow", index.polynomial, location, wraps=True))
    if index.ctype.maximum > ctype.maximum and ctype.width < _ADDRESS_BITS:
        room = Polynomial.constant(ctype.maximum) - index.polynomial
        needs.append(Need("overflow", room, location, wraps=True))
    if index.ctype.minimum < ctype.minimum < 0:
        room = index.polynomial - Polynomial.constant(ctype.minimum)
        needs.append(Need("overflow", room, location, wraps=True))
    return Index(index.polynomial, ctype, tuple(needs))


def _without_sign(index: Index, ctype: IntegerType, location: Location) -> Index:
    """Read the bits of an integer without a sign; that it did not wrap with one is no matter."""
    polynomial = _near_zero(index.polynomial, ctype)
    rooms = (polynomial, Polynomial.constant(ctype.maximum) - polynomial)
    needs = tuple(need for need in index.needs if not need.wraps)
    return Index(polynomial, ctype, needs + tuple(Need("overflow", room, location, wraps=True) for room in rooms))


def _essential(needs: tuple[Need, ...]) -> tuple[Need, ...]:
    """Give needs that hold for every use: a value that wrapped is not right modulo a wider range."""
    return tuple(replace(need, wraps=False) for need in needs)


def compare_constants(operator: str, difference: int) -> int | None:
    """Decide a comparison from the difference of its sides."""
    if operator not in _COMPARISONS:
        return None
    outcomes = {
        "<": difference < 0,
        "<=": difference <= 0,
        ">": difference > 0,
        ">=": difference >= 0,
        "==": difference == 0,
        "!=": difference != 0,
    }
    return int(outcomes[operator])


def binary(operator: str, left: Index, right: Index, ctype: IntegerType, setting: Setting) -> Index | None:
    """Apply an arithmetic operator; None where the result is no polynomial (the caller then computes with data)."""
    needs = left.needs + tuple(need for need in right.needs if need not in left.needs)
    a, b = left.polynomial, right.polynomial
    if operator == "+":
        return fit(a + b, ctype, needs, setting)
    if operator == "-":
        return fit(a - b, ctype, needs, setting)
    if operator == "*":
        return fit(a * b, ctype, needs, setting) if len(a.terms) * len(b.terms) <= _TERM_LIMIT else None
    x, y = a.constant_value, b.constant_value
    if x is not None and y is not None:
        folded = _fold(operator, x, y, ctype)
        return None if folded is None else Index(Polynomial.constant(folded), ctype, needs)
    if operator in {"/", "//", "%"}:
        exact = _divide_exactly(operator, Index(a, ctype, needs), right, setting)
        if exact is not None:
            return exact
    if y is None:
        return None
    if operator == "<<" and 0 <= y < ctype.width:
        return fit(a.scale(1 << y), ctype, needs, setting)
    return _divide(operator, y, Index(a, ctype, needs), setting)


def _divide_exactly(operator: str, dividend: Index, divisor: Index, setting: Setting) -> Index | None:
    """Divide ``q*d + r`` by ``d``, where ``0 <= r < d``, and ``q`` is not negative unless it is rounded down.

    That rests on the sizes.  Without a rest nothing is rounded, whatever the sign, if what is divided did not wrap.
    """
    d, domain = divisor.polynomial, setting.domain
    if domain is None or not d.terms:
        return None
    quotient, rest = dividend.polynomial.divide(d)
    is_exact = all(setting.ranges.is_nonnegative(need.polynomial, domain) for need in dividend.needs if need.wraps)
    if is_exact and not rest.terms and (d.constant_value or 0) > 0:
        return Index(rest if operator == "%" else quotient, dividend.ctype, dividend.needs)
    for shift in (ZERO, ONE, -ONE):
        whole, left = quotient + shift, rest - d * shift
        inside = (left, d - left - ONE) if operator == "//" else (whole, left, d - left - ONE)
        if all(setting.ranges.is_nonnegative(part, domain) for part in inside):
            needs = tuple(Need("extent", part, setting.location) for part in inside)
            return Index(left if operator == "%" else whole, dividend.ctype, _essential(dividend.needs) + needs)
    return None


def wrapping_point(dividend: Polynomial, divisor: Polynomial, ranges: Ranges, domain: Domain) -> Polynomial | None:
    """Give what is not negative from where on a quotient is one more than before, if it has two or three values."""
    if divisor.is_constant:
        return None
    _, rest = dividend.divide(divisor)
    below, above = (ranges.is_nonnegative(part, domain) for part in (rest, divisor - rest - ONE))
    least = below or ranges.is_nonnegative(rest + divisor, domain)
    most = above or ranges.is_nonnegative(divisor + divisor - rest - ONE, domain)
    if (below and above) or not (least and most):
        return None
    if below:
        rest = rest - divisor
    return rest if rest.is_affine and not domain.variables.isdisjoint(rest.variables()) else None


def _divide(operator: str, y: int, dividend: Index, setting: Setting) -> Index | None:
    """Divide something non-negative by a positive constant, where floor and truncation agree."""
    a, needs = dividend.polynomial, _essential(dividend.needs)
    if operator == ">>" and 0 <= y < dividend.ctype.width:
        operator, y = "/", 1 << y
    if operator == "&" and y >= 0 and (y + 1) & y == 0:
        operator, y = "%", y + 1
    mask = y - (1 << dividend.ctype.width) if y > dividend.ctype.maximum >> 1 and not dividend.ctype.signed else y
    if operator == "&" and mask < 0 and -mask & (-mask - 1) == 0:
        operator, y = "round", -mask
    if operator not in {"/", "//", "%", "round"} or not 0 < y <= LONG.maximum:  # constants of maps have 64 bits
        return None
    ranges, domain = setting.ranges, setting.domain
    if not a.is_affine:
        return None
    if operator != "//" and (domain is None or not ranges.is_certain(a, domain)):  # else it rounds down as maps do
        if domain is not None and not ranges.is_nonnegative(a, domain):
            return None
        needs = (*needs, Need("extent", a, setting.location))
    quotient = ranges.quotient(a, y)
    results = {"%": a - quotient.scale(y), "round": quotient.scale(y)}
    return Index(results.get(operator, quotient), dividend.ctype, needs)


def _fold(operator: str, x: int, y: int, ctype: IntegerType) -> int | None:
    """Fold an operator on two constants; None where C leaves it undefined or the operator is not arithmetic."""
    if operator in {"/", "//", "%"}:
        if y == 0:
            return None
        if operator == "//":
            return ctype.wrap(x // y)
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return ctype.wrap(quotient if operator == "/" else x - quotient * y)
    if operator in {"<<", ">>"}:
        if not 0 <= y < ctype.width:
            return None
        return ctype.wrap(x << y if operator == "<<" else x >> y)
    if operator in {"&", "|", "^"}:
        return ctype.wrap({"&": x & y, "|": x | y, "^": x ^ y}[operator])
    return None
