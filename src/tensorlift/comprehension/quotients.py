"""Integers that divide indices: affine expressions of quotients, each with what bounds it.

``i // 3 + j % 2`` is ``q + j - 2 r`` where ``3 q <= i < 3 q + 3`` and ``2 r <= j < 2 r + 2``: exact, so that the cells
at such a place are a domain.  For bounds alone, what data says is a variable of its own, within its type; so is the
rest of a division by a size, which is less than that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.definition import Definition
from tensorlift.comprehension.ranges import in_range, value_range
from tensorlift.comprehension.rewrite import rebuild_inside, transform, walk
from tensorlift.comprehension.terms import Apply, Constant, Index, Term, applies, apply, cast, constant
from tensorlift.ops.conversions import is_exact
from tensorlift.ops.dtypes import integer_range, is_integer
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.definition import Item, Summary
    from tensorlift.comprehension.rewrite import Descend
    from tensorlift.poly.domain import Constraint

_DOWN = ("floordiv", "mod")
_HALF = 1 << 31
DIVISIONS = ("floordiv", "mod", "tdiv", "rem")
_BITS = ("shr", "bitand")
QUOTIENTS = (*DIVISIONS, *_BITS)


class Quotients(NamedTuple):
    """An integer as an affine expression of indices and ``names``, and what holds of these."""

    value: Affine
    facts: Domain
    names: tuple[str, ...]

    def satisfies(self, condition: Callable[[Affine], Constraint]) -> Domain:
        """Return where the integer satisfies a condition."""
        return (Domain.of(condition(self.value)) & self.facts).project_out(*self.names)

    def lies_in(self, low: Affine, high: Affine, domain: Domain) -> bool:
        """Tell whether the integer is from ``low`` to ``high`` at all points of a domain."""
        return (domain & self.facts).implies(at_least(self.value, low), at_least(high, self.value))


def divides(term: Term) -> bool:
    """Tell whether integers are divided in a term."""
    return any(applies(node, QUOTIENTS) and is_integer(node.dtype) for node in walk(term))


def by_power(term: Term) -> Term:
    """Return ``x >> 3`` as ``x // 8``, ``x & 7`` as ``x % 8``, and any other term as it is."""
    if not applies(term, _BITS) or not is_integer(term.dtype):
        return term
    value, other = term.args
    if term.op == "bitand" and isinstance(value, Constant):
        value, other = other, value
    if not isinstance(other, Constant) or value.dtype != term.dtype or not 0 <= other.value < 1 << 63:
        return term
    number, most = int(other.value), integer_range(term.dtype)[1]
    power = 1 << min(number, most.bit_length()) if term.op == "shr" else number + 1
    if not 1 < power <= most or power & (power - 1):
        return term
    return apply("floordiv" if term.op == "shr" else "mod", value, constant(power, term.dtype))


def exactly(term: Term, domain: Domain) -> Quotients | None:
    """Return the integer that a term is at all points of a domain; None where it is of data, or may wrap."""
    return _Reading(domain).whole(term)


def bounded(term: Term, domain: Domain) -> Quotients | None:
    """Return an integer that may be more than the term, but nothing that the term is not."""
    return _Reading(domain, has_data=True).whole(term)


def is_not_negative(term: Term, domain: Domain) -> bool:
    """Tell whether an integer is shown to be zero or more at all points of a domain."""
    found = bounded(term, domain)
    return found is not None and (domain & found.facts).implies(at_least(found.value, 0))


def difference(left: Term, right: Term, domain: Domain, *, has_data: bool) -> Quotients | None:
    """Return how much more an integer is than another one, exactly, or as far as it is `bounded`."""
    reading = _Reading(domain, has_data=has_data)
    first, second = reading.of(left), reading.of(right)
    return None if first is None or second is None else reading.result(first - second)


def towards_zero(summary: Summary, most: int) -> Summary:
    """Return a summary whose quotients of integers are rounded towards zero, as C does; sizes are at ``most`` so large.

    One that is rounded down is less by one where something is left over whose sign is not that of the divisor.
    """
    context = summary.context & Domain.of(*(at_least(most, size) for size in summary.sizes))
    return replace(summary, items=tuple(_item_towards_zero(item, context) for item in summary.items))


def _item_towards_zero(item: Item, context: Domain) -> Item:
    if isinstance(item, Definition):
        if not any(applies(node, _DOWN) for node in item.nodes()):
            return item
        return item.mapped(lambda term, domain: transform(term, domain & item.domain & context, _rounded))
    inside = context & Domain.of(at_least(item.variable, item.lower), less(item.variable, item.upper))
    return replace(item, body=tuple(_item_towards_zero(inner, inside) for inner in item.body))


def _rounded(term: Term, domain: Domain, descend: Descend) -> Term:
    if not applies(term, _DOWN):
        return rebuild_inside(term, domain, descend)
    over, under = (descend(part, domain) for part in term.args)
    if not is_integer(term.dtype) or not over.dtype == under.dtype == term.dtype:
        return rebuild_inside(term, domain, descend)
    rest, zero = apply("rem", over, under), constant(0, term.dtype)
    is_less = None if is_not_negative(over, domain) else apply("lt", rest, zero)
    if not _is_positive(under, domain):
        if is_less is not None:  # the least integer divided by -1 is none
            return rebuild_inside(term, domain, descend)
        is_less = apply("and", apply("ne", rest, zero), apply("lt", under, zero))
    if is_less is None:
        return rest if term.op == "mod" else apply("tdiv", over, under)
    if term.op == "mod":
        return apply("select", is_less, apply("add", rest, under), rest)
    return apply("sub", apply("tdiv", over, under), cast(is_less, term.dtype))


def _is_positive(term: Term, domain: Domain) -> bool:
    found = bounded(term, domain)
    return found is not None and (domain & found.facts).implies(at_least(found.value, 1))


class _Reading:
    def __init__(self, domain: Domain, *, has_data: bool = False) -> None:
        self.domain, self.has_data = domain, has_data
        self.facts, self.names = UNIVERSE, list[str]()
        self.known: dict[Term, Affine | None] = {}
        self.quotients: dict[tuple[Affine, Affine, bool], Affine | None] = {}

    def whole(self, term: Term) -> Quotients | None:
        value = self.of(term)
        return None if value is None else self.result(value)

    def result(self, value: Affine) -> Quotients:
        return Quotients(value, self.facts, tuple(self.names))

    def of(self, term: Term) -> Affine | None:
        if term not in self.known:
            self.known[term] = self._read(term)
            if self.known[term] is None and self.has_data and is_integer(term.dtype):
                low, high = value_range(term)
                self.known[term] = self._new(lambda x: Domain.of(at_least(x, low), at_least(high, x)))
        return self.known[term]

    def _new(self, facts: Callable[[Affine], Domain]) -> Affine:
        name = fresh("q")
        self.names.append(name)
        self.facts = self.facts & facts(Affine.var(name))
        return Affine.var(name)

    def _implied(self, *constraints: Constraint) -> bool:
        return (self.domain & self.facts).implies(*constraints)

    def _read(self, term: Term) -> Affine | None:
        term = by_power(term)
        match term:
            case Index(affine=value):
                return value if self._implied(*in_range(value, term.dtype)) else None
            case Constant(value=number) if is_integer(term.dtype):
                return Affine(int(number))
            case Apply(op="cast", args=(inner,)) if is_integer(term.dtype) and is_integer(inner.dtype):
                kept = self.of(inner)
                return kept if is_exact(inner.dtype, term.dtype) else self._fitting(kept, term)
            case Apply(op="add" | "sub" | "mul" | "floordiv" | "mod" | "tdiv" | "rem", args=(one, other)) if is_integer(
                term.dtype
            ):
                left, right = self.of(one), self.of(other)
                if left is None or right is None or one.dtype != term.dtype or other.dtype != term.dtype:
                    return None
                return self._fitting(self._computed(term.op, left, right), term)
        return None

    def _fitting(self, value: Affine | None, term: Term) -> Affine | None:
        """Return a value that its type holds."""
        return value if value is not None and self._implied(*in_range(value, term.dtype)) else None

    def _computed(self, op: str, left: Affine, right: Affine) -> Affine | None:
        if op == "add":
            return left + right
        if op == "sub":
            return left - right
        if op == "mul":
            constant, value = (right, left) if right.is_constant else (left, right)
            return value * constant.constant if constant.is_constant else self._product(left, right)
        if not self._implied(at_least(right, 1)):
            return None
        is_down = op in ("floordiv", "mod") or self._implied(at_least(left, 0))
        if right.is_constant:
            quotient = self._quotient(left, right, is_down=is_down)
            return left - quotient * right.constant if op in ("mod", "rem") else quotient
        if not self.has_data:
            return None
        return self._rest(left, right, is_down=is_down) if op in ("mod", "rem") else self._part(left)

    def _quotient(self, left: Affine, right: Affine, *, is_down: bool) -> Affine:
        """Return the quotient by a number, rounded down or towards zero."""
        whole = left.divided(right.constant)
        if whole is not None:
            return whole
        key = left, right, is_down
        found = self.quotients.get(key)
        if found is None:
            number = right.constant

            def facts(q: Affine) -> Domain:
                rest = left - q * number
                down = Domain.of(at_least(rest, 0), less(rest, number))
                if is_down:
                    return down
                up = Domain.of(at_least(0, rest), less(-number, rest), less(left, 0))
                return down & Domain.of(at_least(left, 0)) | up

            found = self.quotients[key] = self._new(facts)
        return found

    def _product(self, left: Affine, right: Affine) -> Affine | None:
        """Return a product of what is not negative: any number that is not, as far as two of 32 bits get."""
        ends = (constraint for x in (left, right) for constraint in (at_least(x, 0), at_least(_HALF, x)))
        if not self.has_data or not self._implied(*ends):
            return None
        return self._new(lambda product: Domain.of(at_least(product, 0), at_least(_HALF * _HALF, product)))

    def _rest(self, left: Affine, right: Affine, *, is_down: bool) -> Affine:
        """Return the rest of a division by a size: any number below it, with the sign of what C divides."""
        is_positive = self._implied(at_least(left, 0))

        def facts(rest: Affine) -> Domain:
            least = at_least(rest, 0) if is_down else less(-right, rest)
            return Domain.of(less(rest, right), least, *((at_least(left, rest),) if is_positive else ()))

        return self._new(facts)

    def _part(self, left: Affine) -> Affine:
        """Return a quotient by a size: between zero, or minus one, and what is divided."""
        return self._new(
            lambda q: (
                Domain.of(at_least(q, 0), at_least(left, q))
                | Domain.of(at_least(-1, left), less(q, 1), at_least(q, left))
            )
        )
