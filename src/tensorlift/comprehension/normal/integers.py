"""Machine integers: conversions between types, and division.

A polynomial over integers is known modulo two to the width of its type.  Going to a type of the same or a smaller width
keeps that knowledge, and so does going through a wider type and back.  Going to a wider type or to the reals needs the
value itself: it is the atom ``wrap`` around the polynomial, unless the ranges of its atoms keep it in the range of the
type anyway, as they do for a product of two 16-bit integers in 32 bits.

A real value that is truncated is left as it is only where it is an integer of the target's range that the float type
holds exactly.  A conversion that does not fit is undefined in C and in NumPy alike, so that it never stands for one
that wraps: ``(a.astype(float64) * b).astype(int32)`` is not ``a * b``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.arithmetic import (
    added,
    by_cells,
    modulus,
    multiplied,
    number,
    of_atom,
    subtracted,
)
from tensorlift.comprehension.normal.atoms import ApplyAtom, Atom, IndexAtom, apply_atom
from tensorlift.comprehension.normal.combine import combine, same
from tensorlift.comprehension.normal.monomials import Monomial, Poly, poly
from tensorlift.comprehension.normal.truths import negation, zero
from tensorlift.ops.conversions import EXACT_BITS, holds_integers, is_exact
from tensorlift.ops.dtypes import DType, integer_range, is_float, is_integer, rounded, width, wrap
from tensorlift.poly.domain import UNIVERSE, Domain

if TYPE_CHECKING:
    from collections.abc import Callable


def converted(value: Poly, source: DType, target: DType, context: Domain) -> Poly:
    """Convert a value to another type."""
    if source == target or (is_float(source) and is_float(target)):
        return value
    if source == "bool":  # 0 or 1 in every ring
        return poly(list(value.terms), modulus(target))
    if target == "bool":
        return negation(zero(value, context))
    if is_float(target):
        return _rounded(unrounded(value, source, context), source, target, context)
    if is_integer(source):
        if width(target) <= width(source):
            return narrowed(value, target, context)
        return exact(value, source, modulus(target), context)
    return truncated(value, target, context, EXACT_BITS[source])


def unrounded(value: Poly, source: DType, context: Domain) -> Poly:
    """Return a value of any type as a real."""
    if is_float(source):
        return value
    return poly(list(value.terms), 0) if source == "bool" else exact(value, source, 0, context)


def _rounded(value: Poly, source: DType, target: DType, context: Domain) -> Poly:
    """Round an integer to a float type, which changes nothing where the type holds all that it may be."""
    if is_exact(source, target):
        return value

    def build(args: tuple[Poly, ...], _: Domain) -> Poly:
        (only,) = args
        if only.constant is not None:
            return number(rounded(Fraction(only.constant), target), 0)
        ends = _ends(only)
        if (ends is not None and holds_integers(target, *ends)) or _is_product(only, target):
            return only
        return of_atom(apply_atom("rounded", (only,), target), 0)

    return by_cells((value,), context, 0, build)


def _is_product(value: Poly, target: DType) -> bool:
    """Tell whether a value is a product of two numbers that a float type holds: floats round it in the same way."""
    only = value.terms[0]
    if len(value.terms) > 1 or only.bound or only.den or only.coefficient not in (1, -1) or len(only.num) != 2:  # noqa: PLR2004 - two factors
        return False
    return all(_is_bounded(atom) and holds_integers(target, *_range(atom)) for atom in only.num)


def exact(value: Poly, source: DType, ring: int, context: Domain) -> Poly:
    """Return the value, in the range of its type, as an element of another ring."""

    def build(args: tuple[Poly, ...], here: Domain) -> Poly:
        constant = args[0].constant
        if constant is not None:
            return number(wrap(int(constant), source), ring)
        within = _without_wrapping(args[0], source)
        if within is not None:
            return poly(within, ring)
        has_sums = len(args[0].terms) > 1 and any(term.bound for term in args[0].terms)
        merged = combine(args[0], context & here) if has_sums else args[0]  # the same however it is added up
        return of_atom(apply_atom("wrap", (merged,), source), ring)

    return by_cells((value,), context, ring, build)


def _fits(atom: Atom, dtype: DType) -> bool:
    """Tell whether every value of an atom is in the range of a type."""
    if not _is_bounded(atom):
        return False
    low, high = _range(atom)
    least, greatest = integer_range(dtype)
    return least <= low and high <= greatest


def _without_wrapping(value: Poly, source: DType) -> list[Monomial] | None:
    """Return the monomials over the integers where their ranges show the sum to be in that of the type, else None."""
    half = value.modulus // 2
    nearest = [t.with_domain(t.domain, (int(t.coefficient) + half) % value.modulus - half) for t in value.terms]
    ends, (smallest, largest) = _ends(Poly(tuple(nearest), 0)), integer_range(source)
    return nearest if ends is not None and smallest <= ends[0] and ends[1] <= largest else None


def _ends(value: Poly) -> tuple[int, int] | None:
    """Return bounds of a sum of products of machine integers and truth values over the integers, None for any other."""
    low = high = 0
    for term in value.terms:
        if term.bound or term.den or not isinstance(term.coefficient, int) or not all(map(_is_bounded, term.num)):
            return None
        least = greatest = term.coefficient
        for atom in term.num:
            ends = [end * bound for end in (least, greatest) for bound in _range(atom)]
            least, greatest = min(ends), max(ends)
        if term.domain is not UNIVERSE:  # outside its guard it is zero
            least, greatest = min(least, 0), max(greatest, 0)
        low, high = low + least, high + greatest
    return low, high


def _is_bounded(atom: Atom) -> bool:
    return atom.dtype is not None and not is_float(atom.dtype)


def _range(atom: Atom) -> tuple[int, int]:
    """Return the least and the greatest value of an atom that is a machine integer or a truth value."""
    assert atom.dtype is not None
    return (0, 1) if atom.dtype == "bool" else integer_range(atom.dtype)


def narrowed(value: Poly, target: DType, context: Domain) -> Poly:
    """Reduce to the ring of a type: a polynomial known modulo a multiple of the new modulus, or exactly."""
    ring = modulus(target)
    result = Poly((), ring)
    for term in value.terms:
        inner = [a for a in term.num if _unwraps(a, target)]
        rest = tuple(a for a in term.num if not _unwraps(a, target))
        product = poly([Monomial(term.coefficient, rest, term.den, term.bound, term.domain)], ring)
        for atom in inner:
            if isinstance(atom, ApplyAtom):
                product = multiplied(product, narrowed(atom.args[0].opened(), target, context), context, target)
        result = added(result, product)
    return result


def _unwraps(atom: Atom, target: DType) -> bool:
    """Tell whether an atom is, modulo the target's width, the polynomial that it wraps."""
    return (
        isinstance(atom, ApplyAtom)
        and atom.op == "wrap"
        and atom.dtype is not None
        and width(target) <= width(atom.dtype)
    )


def is_integral(value: Poly) -> bool:
    """Tell whether a real polynomial only has integer values."""
    return all(
        isinstance(t.coefficient, int)
        and not t.den
        and all(isinstance(a, IndexAtom) or (a.dtype is not None and not is_float(a.dtype)) for a in t.num)
        for t in value.terms
    )


def truncated(value: Poly, target: DType, context: Domain, bits: int) -> Poly:
    """Convert a real value, computed with so many bits of precision, to an integer type: truncate it."""
    ring = modulus(target)
    low, high = integer_range(target)

    def build(args: tuple[Poly, ...], _: Domain) -> Poly:
        (only,) = args
        constant, atom = only.constant, only.atom
        if constant is not None and low <= int(constant) <= high:
            return number(int(constant), ring)
        if atom is not None and _is_exact(atom, target, bits):
            return of_atom(atom, ring)
        return _integer_quotient(only, target, bits) or of_atom(apply_atom("truncate", (only,), target), ring)

    return by_cells((value,), context, ring, build)


def _is_exact(atom: Atom, target: DType, bits: int) -> bool:
    """Tell whether an atom is an integer of the range of a type that a float with so many bits holds."""
    return _fits(atom, target) and atom.dtype is not None and width(atom.dtype) <= bits


def _integer_quotient(value: Poly, target: DType, bits: int) -> Poly | None:
    """Recognise ``trunc(x / y)`` for integers x and y of the range of the target: it is their quotient in C.

    The quotient is at least ``1 / y`` below the next integer, which rounding does not bridge where x and y have no more
    than two thirds of the bits: 16 bits for single precision, 35 for double.
    """
    only = value.terms[0] if len(value.terms) == 1 else None
    if only is None or only.bound or only.coefficient != 1 or len(only.num) != 1 or len(only.den) != 1:
        return None
    over, under = only.num[0], only.den[0]
    if not all(_is_exact(atom, target, bits * 2 // 3) for atom in (over, under)):
        return None
    ring = modulus(target)
    atom = apply_atom("tdiv", (of_atom(over, ring), of_atom(under, ring)), target)
    return Poly((Monomial(1, (atom,), domain=only.domain),), ring)


# -- division


def _truncating(a: int, b: int) -> int:
    return 0 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


_FOLDED: dict[str, Callable[[int, int], int]] = {
    "tdiv": _truncating,
    "floordiv": lambda a, b: a // b if b else 0,
}


def quotient(op: str, left: Poly, right: Poly, context: Domain, dtype: DType) -> Poly:
    """Return the quotient of machine integers, rounded towards zero (`tdiv`) or down (`floordiv`)."""
    ring = modulus(dtype)

    def build(args: tuple[Poly, ...], inside: Domain) -> Poly:
        over, under = args
        a, b = over.constant, under.constant
        if b == 1:
            return over
        if a is not None and b:
            return number(_FOLDED[op](wrap(int(a), dtype), wrap(int(b), dtype)), ring)
        known = _multiple(over, under, inside, dtype)
        if known is not None:
            return known
        return of_atom(apply_atom(op, (over, under), dtype), ring)

    return by_cells((left, right), context, ring, build)


def _multiple(over: Poly, under: Poly, context: Domain, dtype: DType) -> Poly | None:
    """Recognise ``b * tdiv(a, b)``, whose quotient by b is ``tdiv(a, b)``.

    The product is no larger than a, so that it does not wrap.  That is not so for any other factor: ``b * q / b`` may
    differ from q.
    """
    for term in over.terms[:1]:
        for atom in term.num:
            if isinstance(atom, ApplyAtom) and atom.op == "tdiv" and atom.dtype == dtype:
                found = of_atom(atom, over.modulus)
                divisor = atom.args[1].opened()
                if same(divisor, under, context) and same(over, multiplied(under, found, context, dtype), context):
                    return found
    return None


def remainder(op: str, left: Poly, right: Poly, context: Domain, dtype: DType) -> Poly:
    """Return ``a - b * (a / b)`` for the quotient of the given name; it is in range, so that nothing wraps for good."""
    return subtracted(left, multiplied(right, quotient(op, left, right, context, dtype), context, dtype))
