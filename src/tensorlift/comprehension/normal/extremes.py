"""Greatest and least values: folds of items, compared as sets; also the choices that are one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.arithmetic import by_cells, cells, modulus, number, of_atom, split_by, subtracted
from tensorlift.comprehension.normal.atoms import ApplyAtom, FoldAtom, apply_atom, fold_atom
from tensorlift.comprehension.normal.combine import combine, same
from tensorlift.comprehension.normal.interning import Undecided, spend
from tensorlift.comprehension.normal.monomials import Monomial, Poly, poly, reduced
from tensorlift.ops.dtypes import SIGNED, DType, integer_range, is_float, is_integer, wrap
from tensorlift.poly.domain import UNIVERSE, Domain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


Range = tuple[tuple[str, ...], Domain]  # bound variables and the domain of their values
POINT: Range = ((), UNIVERSE)


def neutral(op: str, dtype: DType) -> Poly:
    """Return the value of an empty fold: the least value of the type for `max`, the greatest for `min`."""
    if is_float(dtype):
        return Poly((Monomial(-1 if op == "max" else 1, (apply_atom("infinity", (), "f64"),)),))
    low, high = integer_range(dtype) if is_integer(dtype) else (0, 1)
    return number(low if op == "max" else high, modulus(dtype))


def extreme(op: str, values: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
    """Return the greatest or least of values."""

    def build(args: tuple[Poly, ...], inside: Domain) -> Poly:
        return fold(op, [i for a in args for i in items(op, a, inside, dtype)], inside, dtype)

    return by_cells(values, context, modulus(dtype), build)


def extreme_but_nan(op: str, values: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
    """Return the greatest or least of values where a NaN that the source writes is ignored, as C's `fmax` does.

    Any other value is taken for a number, and a fold of none for an infinity, which would take the place of the NaN.
    So where there are only a NaN and folds that may be of none, nothing is known of what is left.
    """

    def build(args: tuple[Poly, ...], inside: Domain) -> Poly:
        numbers = [a for a in args if not is_nan(a)]
        if not numbers:
            return args[0]
        found = [i for a in numbers for i in items(op, a, inside, dtype)]
        if len(numbers) < len(args) and all(i.bound or i.domain is not UNIVERSE for i in found):
            raise Undecided
        return fold(op, found, inside, dtype)

    return by_cells(values, context, modulus(dtype), build)


def is_nan(value: Poly) -> bool:
    """Tell whether a value is the NaN that a source may write."""
    return isinstance(value.atom, ApplyAtom) and value.atom.op == "nan"


def extreme_over(op: str, body: Poly, over: Range, context: Domain, dtype: DType) -> Poly:
    """Return the greatest or least value of the body over the points of a range."""
    return fold(op, items(op, body, context, dtype, over), context, dtype)


def items(op: str, value: Poly, context: Domain, dtype: DType, over: Range = POINT) -> list[Monomial]:
    """Return the items that a value, for each point of a range, adds to a fold."""
    bound, domain = over
    found: list[Monomial] = []
    identity = neutral(op, dtype)
    for cell, (part,) in cells((value,), context & domain):
        where = domain & cell
        single = combine(part, context & where)
        atom = single.atom
        if isinstance(atom, FoldAtom) and atom.op == op and atom.dtype == dtype:
            inner = [i.freshened() for i in atom.items]
            found += [Monomial(i.coefficient, i.num, i.den, i.bound + bound, i.domain & where) for i in inner]
        elif not _alike(single, identity):
            found.append(_item(single, bound, where, dtype))
    return [t for i in found for t in tidy_item(i, context, value.modulus, dtype)]


def _alike(left: Poly, right: Poly) -> bool:
    """Tell whether two polynomials without sums and guards are the same."""
    return [(t.key, t.coefficient, t.domain) for t in left.terms] == [
        (t.key, t.coefficient, t.domain) for t in right.terms
    ]


def _item(value: Poly, bound: tuple[str, ...], where: Domain, dtype: DType) -> Monomial:
    if not value.terms:
        return Monomial(0, (), (), bound, where)
    only = value.terms[0] if len(value.terms) == 1 else None
    if only is not None and not only.bound and only.domain is UNIVERSE:
        return Monomial(only.coefficient, only.num, only.den, bound, where)
    return Monomial(1, (apply_atom("value", (value,), dtype),), (), bound, where)


def tidy_item(item: Monomial, context: Domain, ring: int, dtype: DType) -> list[Monomial]:
    """Put one item in order: none where its guard is empty, without bound variables that are fixed or do not matter."""
    spend()
    if item.domain is UNIVERSE:
        return [item]
    whole = context & item.domain
    if whole.is_empty():
        return []
    used = frozenset[str]().union(*(a.free for a in item.atoms))
    idle = tuple(v for v in item.bound if v not in used)
    if idle:  # the same value many times is the value once
        left = tuple(v for v in item.bound if v in used)
        item = Monomial(item.coefficient, item.num, item.den, left, item.domain.project_out(*idle))
        return tidy_item(item, context, ring, dtype)
    for equality in whole.equalities() if item.bound else ():
        for variable, _ in equality.terms:
            value = equality.solve(variable) if variable in item.bound else None
            if value is not None:
                left = tuple(v for v in item.bound if v != variable)
                fixed = item.substituted({variable: value}, left).as_item(ring, dtype)
                return tidy_item(fixed, context, ring, dtype)
    if not item.bound and context.is_subset(item.domain):
        item = item.with_domain(UNIVERSE)
    return [item]


def fold(op: str, found: list[Monomial], context: Domain, dtype: DType) -> Poly:
    """Return the greatest or least of items; guards of items without a range split the context."""
    ring = modulus(dtype)
    guards = [i.domain for i in found if not i.bound]
    split = split_by(guards, context)
    if len(split) == 1:
        return _fold(op, found, dtype, ring)
    terms: list[Monomial] = []
    for cell in split:
        inside = context & cell
        here = [i for i in found if not inside.is_disjoint(i.domain)]
        value = _fold(op, [i if i.bound else i.with_domain(UNIVERSE) for i in here], dtype, ring)
        terms += [t.with_domain(cell & t.domain) for t in value.terms]
    return poly(terms, ring)


def _fold(op: str, found: list[Monomial], dtype: DType, ring: int) -> Poly:
    """Return the greatest or least of items; that of one is the item itself."""
    found = _best_constant(op, found, dtype)
    if not found:
        return neutral(op, dtype)
    if len(found) == 1 and not found[0].bound and found[0].domain is UNIVERSE:
        return _value(found[0], ring)
    clipped = _clipped(found, dtype, ring) if op == "max" else None
    return clipped or of_atom(fold_atom(op, found, dtype, ring), ring)


def _clipped(found: list[Monomial], dtype: DType, ring: int) -> Poly | None:
    """Return ``min(d, max(c, x))`` for ``max(c, min(d, x))`` with numbers ``c <= d``; None for anything else."""
    pair = _limit_and_item(found)
    inner = pair and _bounded(_value(pair[1], ring), "min")
    if pair is None or inner is None or _worth(pair[0], dtype) > _worth(inner[0], dtype):
        return None
    below = _item(_fold("max", [pair[0], inner[1]], dtype, ring), (), UNIVERSE, dtype)
    return of_atom(fold_atom("min", [inner[0], below], dtype, ring), ring)


def _bounded(value: Poly, op: str) -> tuple[Monomial, Monomial] | None:
    """Return the number and the other item of which a value is the greater or the lesser."""
    atom = value.atom
    return _limit_and_item(atom.items) if isinstance(atom, FoldAtom) and atom.op == op else None


def _limit_and_item(found: Sequence[Monomial]) -> tuple[Monomial, Monomial] | None:
    """Return of two items everywhere the one that is a number, and the other one, which is none."""
    first, *others = sorted(found, key=lambda item: bool(item.atoms))
    if len(others) != 1 or first.atoms or not others[0].atoms:
        return None
    is_everywhere = all(item.domain is UNIVERSE and not item.bound for item in found)
    return (first, others[0]) if is_everywhere else None


def _value(item: Monomial, ring: int) -> Poly:
    if item.coefficient == 1 and len(item.num) == 1 and not item.den:
        atom = item.num[0]
        if isinstance(atom, ApplyAtom) and atom.op == "value":
            return atom.args[0].opened()
    return poly([item], ring)


def _best_constant(op: str, found: list[Monomial], dtype: DType) -> list[Monomial]:
    """Keep one of the constants that apply everywhere, and each item once."""
    distinct = list({(i.key, i.coefficient, i.domain): i for i in found}.values())
    constants = [i for i in distinct if not i.atoms and i.domain is UNIVERSE]
    if len(constants) > 1:
        best = (max if op == "max" else min)(constants, key=lambda i: _worth(i, dtype))
        distinct = [i for i in distinct if i.atoms or i.domain is not UNIVERSE or i is best]
    return distinct


def _worth(item: Monomial, dtype: DType) -> Fraction:
    return Fraction(wrap(int(item.coefficient), dtype)) if is_integer(dtype) else Fraction(item.coefficient)


# -- choices


def chosen_extreme(condition: Poly, chosen: Poly, other: Poly, context: Domain, dtype: DType) -> Poly | None:
    """Return the greatest or least value that a choice by a comparison is, None where it is none."""
    atom = condition.atom
    if atom is None:  # 1 - [..]: the arms change places
        atom = subtracted(number(1, 0), condition).atom
        chosen, other = other, chosen
    is_guarded = any(t.domain is not UNIVERSE and not t.bound for p in (chosen, other) for t in p.terms)
    if not isinstance(atom, ApplyAtom) or is_guarded:
        return None
    for arms, excepted in _arms(chosen, other, dtype):
        if atom.op == "positive" and is_float(dtype):
            op = _by_difference(atom.args[0].opened(), *arms, context)
        elif atom.op == f"less.{dtype}":
            left, right = (a.opened() for a in atom.args)
            op = _by_operands((left, right), arms, context, dtype)
        else:
            return None
        if op and op != excepted:
            return extreme(op, (chosen, other), context, dtype)
    return None


def _arms(chosen: Poly, other: Poly, dtype: DType) -> Iterator[tuple[tuple[Poly, Poly], str]]:
    """Yield the arms of a choice, and those with ``x`` for ``min(d, x)`` beside a number ``c <= d``, with that ``min``.

    The choice may then be the greater of both, not the lesser; for ``max(d, x)`` with ``c >= d`` the other way round.
    """
    yield (chosen, other), ""
    for position, (bound, bounded) in enumerate(((chosen, other), (other, chosen))):
        for op, sign in (("min", 1), ("max", -1)):
            inner, limit = _bounded(bounded, op), bound.constant
            if inner is None or limit is None:
                continue
            gap = _worth(inner[0], dtype) - _worth(Monomial(limit, (), (), (), UNIVERSE), dtype)
            if gap * sign >= 0:
                value = _value(inner[1], bounded.modulus)
                yield ((bound, value), (value, bound))[position], op


def _by_difference(value: Poly, chosen: Poly, other: Poly, context: Domain) -> str | None:
    """``d > 0 ? p : q`` is the greater where ``p - q = k d`` with ``k > 0``, and the lesser where ``k < 0``."""
    gap = combine(subtracted(chosen, other), context)
    if len(gap.terms) != len(value.terms) or not value.terms:
        return None
    known = {t.key: t.coefficient for t in value.terms}
    first = next((t for t in gap.terms if t.key in known), None)
    if first is None:
        return None
    factor = Fraction(first.coefficient) / Fraction(known[first.key])
    if not same(gap, poly([t.scaled(factor) for t in value.terms], 0), context):
        return None
    return "max" if factor > 0 else "min"


def _by_operands(operands: tuple[Poly, Poly], arms: tuple[Poly, Poly], context: Domain, dtype: DType) -> str | None:
    """Tell what ``a < b ? p : q`` is for machine integers, whose differences may wrap.

    With a constant ``c`` for ``b``: ``a < c ? p : a`` is the greater also for ``p = c - 1``, for then ``a <= p``; and
    ``a < c ? -a : a`` is the greater of both for ``c`` 0 or 1, also for the least value, which is its own negative.
    """
    left, right = operands
    chosen, other = arms
    if same(chosen, right, context) and same(other, left, context):
        return "max"
    if same(chosen, left, context) and same(other, right, context):
        return "min"
    limit = right.constant
    if limit is None:
        return None
    below = number(int(limit) - 1, right.modulus)
    if reduced(limit, right.modulus) != reduced(integer_range(dtype)[0], right.modulus):
        if same(other, left, context) and same(chosen, below, context):
            return "max"
        if same(chosen, left, context) and same(other, below, context):
            return "min"
    if limit in (0, 1) and dtype in SIGNED:
        if same(other, left, context) and same(chosen, left.negated(), context):
            return "max"
        if same(chosen, left, context) and same(other, left.negated(), context):
            return "min"
    return None
