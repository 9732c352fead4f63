"""From terms to the normal form: every operation of a term, read as an operation on polynomials.

A term is normalised for the points of a domain (a `Scope`), and each scope remembers what it has normalised.  A fold or
a piece of a piecewise term has a scope of its own, with its range or its guard added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.flags import simplified_flag
from tensorlift.comprehension.hits import hit_in_cases, seen_where_hit
from tensorlift.comprehension.normal.arithmetic import (
    by_cells,
    cells,
    is_infinite,
    modulus,
    multiplied,
    number,
    of_affine,
    of_atom,
    subtracted,
)
from tensorlift.comprehension.normal.atoms import fold_atom, read_atom, scalar_atom
from tensorlift.comprehension.normal.combine import combine, same
from tensorlift.comprehension.normal.extremes import extreme_over, neutral
from tensorlift.comprehension.normal.integers import converted, quotient, truncated, unrounded
from tensorlift.comprehension.normal.interning import Undecided, spend, unique_name
from tensorlift.comprehension.normal.monomials import Monomial, Poly, poly
from tensorlift.comprehension.normal.products import factors_of, plain_product
from tensorlift.comprehension.normal.scalar_rules import scalar, select
from tensorlift.comprehension.normal.tidy import tidy
from tensorlift.comprehension.normal.truths import COMPARISONS, affine_condition, guard, itself, negation, zero
from tensorlift.comprehension.positions import counted_from_zero, with_start
from tensorlift.comprehension.quotients import DIVISIONS, QUOTIENTS, by_power, divides, exactly
from tensorlift.comprehension.ranges import ends_of, in_range
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.rules import rewritten
from tensorlift.comprehension.segments import between, whole_segment
from tensorlift.comprehension.tensor import decided_in_arms
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term, applies
from tensorlift.ops.conversions import EXACT_BITS, is_exact
from tensorlift.ops.dtypes import NARROW, SIGNED, UNSIGNED, DType, is_float, is_integer, width, wrap
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less

if TYPE_CHECKING:
    from collections.abc import Iterable

_POLYNOMIAL = frozenset({"add", "sub", "mul", "neg", "cast"})
_ON_BITS = frozenset({"bitand", "bitor", "bitxor", "shl"})
INDEX_WIDTH = 32  # a position is compared and divided as the index that it is in types of at least this width


class Scope:
    """The points for which terms are normalised, with what has been normalised for them."""

    def __init__(
        self, domain: Domain, enclosing: frozenset[str] = frozenset(), folded: frozenset[str] = frozenset()
    ) -> None:
        self.domain = domain
        self.folded = folded  # the variables of folds around
        self.taken = enclosing.union(domain.variables())
        self.known: dict[Term, Poly] = {}
        self._inner: dict[Domain, Scope] = {}

    def within(self, domain: Domain, bound: tuple[str, ...] = ()) -> Scope:
        """Return the scope of the points that are also in another domain."""
        inner = self._inner.get(domain)
        if inner is None:
            folded = self.folded.union(bound)
            inner = self._inner[domain] = Scope(self.domain & domain, self.taken.union(bound), folded)
        return inner

    def of(self, term: Term) -> Poly:
        """Return the normal form of a term; operands come first, from a stack, so that deep terms need no recursion."""
        known = self.known
        if term in known:
            return known[term]
        stack = [term]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            missing = [a for a in self._needed(node) if a not in known]
            if missing:
                stack += missing
                continue
            spend()
            known[node] = self._normalise(stack.pop())
        return known[term]

    def _needed(self, term: Term) -> tuple[Term, ...]:
        """Return the operands of a term; of a choice that is a whole segment just that, as arms may be undecided."""
        segment = whole_segment(term, self.domain) if applies(term, "select") else None
        return (segment,) if segment is not None else term.args if isinstance(term, Apply) else ()

    def _normalise(self, term: Term) -> Poly:
        ring = modulus(term.dtype)
        if isinstance(term, Apply):
            return self._apply(term)
        if isinstance(term, Read):
            return of_atom(read_atom(term.array, term.indices, term.dtype), ring)
        if isinstance(term, Constant):
            return number(term.value != 0 if term.dtype == "bool" else term.value, ring)
        if isinstance(term, Scalar):
            return of_atom(scalar_atom(term.name, term.dtype), ring)
        if isinstance(term, Index):
            return of_affine(term.affine, ring)
        if isinstance(term, Piecewise):
            return self._piecewise(term.pieces, term.dtype)
        if isinstance(term, Reduce):
            return self._reduce(term, ring)
        raise TypeError(type(term).__name__)

    def _piecewise(self, pieces: Iterable[tuple[Domain, Term]], dtype: DType) -> Poly:
        found: list[Monomial] = []
        for domain, piece in pieces:
            if self.domain.is_subset(domain):
                return self.operand(piece, dtype)
            scope = self.within(domain)
            if not scope.domain.is_empty():
                found += [t.with_domain(domain & t.domain) for t in scope.operand(piece, dtype).terms]
        return poly(found, modulus(dtype))

    # -- folds

    def _reduce(self, term: Reduce, ring: int) -> Poly:
        counted = counted_from_zero(term, self.domain)
        if counted is not None:
            return self.of(counted)
        bound, domain, body = term.bound, term.domain, term.body
        if not self.taken.isdisjoint(bound):
            names = {v: unique_name() for v in bound}
            domain = domain.rename(names)
            body = substitute(body, {v: Affine.var(n) for v, n in names.items()})
            bound = tuple(names.values())
        if len(bound) == 1 and _is_operand(body, bound[0]) and (ends := ends_of(self.domain & domain, bound[0])):
            moved = {bound[0]: ends[0] + Affine.var(bound[0])}  # a function of k + 1 from 0 on is one of k from 1 on
            domain, body = domain.substitute(moved), substitute(body, moved)
        scope = self.within(domain, bound)
        if scope.domain.is_empty():
            return _empty_fold(term)
        value = scope.of(body)
        if term.op == "any":
            return extreme_over("max", value, (bound, domain), self.domain, "bool")
        if term.op == "all":  # unless some is not
            return negation(extreme_over("max", negation(value), (bound, domain), self.domain, "bool"))
        if term.op == "sum":
            return self._sum(value, bound, domain, ring)
        if term.op == "prod":
            return self._product(value, bound, domain, term.dtype)
        return extreme_over(term.op.removeprefix("f"), value, (bound, domain), self.domain, term.dtype)

    def _sum(self, body: Poly, bound: tuple[str, ...], domain: Domain, ring: int) -> Poly:
        if is_infinite(body):
            raise Undecided
        found: list[Monomial] = []
        for term in body.terms:
            summed = Monomial(term.coefficient, term.num, term.den, term.bound + bound, term.domain & domain)
            found += tidy(summed, self.domain)
        return poly(found, ring)

    def _product(self, body: Poly, bound: tuple[str, ...], domain: Domain, dtype: DType) -> Poly:
        inside, ring = self.domain & domain, modulus(dtype)
        items: list[Monomial] = []
        for cell, (part,) in cells((body,), inside):
            for item in factors_of(combine(part, inside & cell)):
                ranged = Monomial(item.coefficient, item.num, (), item.bound + bound, item.domain & domain & cell)
                items += tidy(ranged, self.domain)

        def build(args: tuple[Poly, ...], here: Domain) -> Poly:
            factors = plain_product(args[0])
            if factors is None:
                return of_atom(fold_atom("product", list(args[0].terms), dtype, ring), ring)
            result = number(1, ring)
            for factor in factors:
                result = multiplied(result, factor, here, dtype)
            return result

        return by_cells((poly(items, 0),), self.domain, ring, build)

    # -- scalar functions

    def _apply(self, term: Apply) -> Poly:
        op, dtype = term.op, term.dtype
        if op == "hits":
            return self._hits(*term.args)
        if op == "within":
            return self.of(between(term))
        if op in COMPARISONS:
            return self._comparison(term)
        if op == "cast":
            return self._cast(term)
        if op == "select":
            return self._select(term)
        if op in QUOTIENTS and (found := self._index_division(term)) is not None:
            return found
        if op == "pow" and (product := self._counted_power(term)) is not None:
            return self.of(product)
        if op in _ON_BITS and dtype in UNSIGNED:  # bits are the same in both types
            dtype = SIGNED[UNSIGNED.index(dtype)]
        args = [self.operand(a, dtype) for a in term.args]
        return scalar(op, args, self.domain, dtype)

    def _select(self, term: Apply) -> Poly:
        segment = whole_segment(term, self.domain)
        if segment is not None:
            return self.of(segment)
        started = with_start(term, self.domain, self._are_same)
        if started is not None:
            return self.of(started)
        decided = decided_in_arms(*term.args)
        if decided.args != term.args:
            return self.of(decided)
        cases = hit_in_cases(term, self.domain)
        if cases is not term:
            return self.of(cases)
        seen = seen_where_hit(term, self.domain)
        if seen is not term:
            return self.of(seen)
        arms = [self.operand(a, term.dtype) for a in term.args[1:]]
        return select(self.operand(term.args[0], "bool"), arms, self.domain, term.dtype)

    def _hits(self, place: Term, cell: Term) -> Poly:
        """Compare a place with that of a cell; what is added up to a place is merged, so that it is one atom.

        Where indices are divided, the cells that are hit are a domain.
        """
        if place.dtype != cell.dtype or self._affine(place) is not None:
            return self.of(terms.apply("eq", place, cell))
        at, divided = self._affine(cell), exactly(place, self.domain) if divides(place) else None
        if divided is not None and at is not None:
            return guard(divided.satisfies(lambda value: equal(value, at)), self.domain)
        value = combine(self.of(place), self.domain)
        if value.constant is not None and at is not None:  # as what nothing is added up to
            return guard(affine_condition("eq", at - wrap(int(value.constant), place.dtype)), self.domain)
        return zero(subtracted(value, self.of(cell)), self.domain)

    def _are_same(self, left: Term, right: Term) -> bool:
        return same(self.of(left), self.of(right), self.domain)

    def operand(self, term: Term, dtype: DType) -> Poly:
        """Return an operand in the type of the operation."""
        value = self.of(term)
        return value if term.dtype == dtype else converted(value, term.dtype, dtype, self.domain)

    def _counted_power(self, term: Apply) -> Term | None:
        """Give a power as a product of equal factors where its exponent counts them, as many at all points of folds."""
        base, exponent = term.args
        count = self._affine(exponent)
        if count is None or count.is_constant or not self.folded.isdisjoint(count.variables):
            return None
        if not is_float(term.dtype) or not self.domain.implies(at_least(count, 0)):
            return None
        name = unique_name()
        return terms.reduce("prod", (name,), Domain.of(at_least(name, 0), less(name, count)), base)

    def _cast(self, term: Apply) -> Poly:
        operand = term.args[0]
        value = self._affine(operand)
        rounds_to_integer = is_float(operand.dtype) and is_integer(term.dtype)
        if value is not None and term.dtype != "bool" and not (rounds_to_integer and width(term.dtype) < INDEX_WIDTH):
            return of_affine(value, modulus(term.dtype))
        divided = by_power(operand)
        if is_integer(term.dtype) and isinstance(divided, Apply) and divided.op in DIVISIONS:
            wide = self._divided_in(divided, term.dtype)
            if wide is not None:
                return wide
        if isinstance(operand, Piecewise):  # piece by piece: the pieces may be exact
            pieces = ((d, terms.apply("cast", t, dtype=term.dtype)) for d, t in operand.pieces)
            return self._piecewise(pieces, term.dtype)
        if rounds_to_integer:
            return truncated(self.of(operand), term.dtype, self.domain, _float_bits(operand))
        return self.operand(operand, term.dtype)

    def _divided_in(self, term: Apply, dtype: DType) -> Poly | None:
        """Divide an exact affine expression by a positive number in a type that holds both."""
        over, under = term.args
        value = self._affine(over)
        if value is None or not isinstance(under, Constant) or under.value <= 0 or not is_integer(term.dtype):
            return None
        if not self.domain.implies(*in_range(value, dtype), *in_range(Affine(int(under.value)), dtype)):
            return None
        return self.of(terms.apply(term.op, terms.index(value, dtype), terms.constant(under.value, dtype)))

    def _comparison(self, term: Apply) -> Poly:
        left, right = term.args
        a, b = self._affine(left), self._affine(right)
        if a is not None and b is not None:
            return guard(affine_condition(term.op, a - b), self.domain)
        if isinstance(right, Constant) and not right.value:  # what a conversion keeps is zero before as well
            term = _unconverted(term)
            left, right = term.args
            flag = simplified_flag(term.op, (left, right), None)
            if flag is not None:
                return self.of(flag)
        if left is right and is_float(left.dtype):
            return itself(term.op, self.of(left), self.domain)
        if left.dtype == right.dtype:
            return COMPARISONS[term.op](self.of(left), self.of(right), self.domain, left.dtype)
        a_value, b_value = (unrounded(self.of(operand), operand.dtype, self.domain) for operand in (left, right))
        return COMPARISONS[term.op](a_value, b_value, self.domain, "f64")  # as the numbers that they are

    def _index_division(self, term: Apply) -> Poly | None:
        """Divide an exact affine expression by a positive one: without remainder, or where it is not negative."""
        if term.op not in DIVISIONS:
            divided = by_power(term)
            is_index = divided is not term and self._affine(divided.children[0]) is not None
            return self.of(divided) if is_index else None
        over, under = map(self._affine, term.args)
        if over is None or under is None or not is_integer(term.dtype) or not self.domain.implies(at_least(under, 1)):
            return None
        ring = modulus(term.dtype)
        whole = over.divided(under.constant) if under.is_constant else None
        if whole is not None:
            return of_affine(whole, ring) if term.op in ("tdiv", "floordiv") else Poly((), ring)
        if term.op in ("floordiv", "mod") or not self.domain.implies(at_least(over, 0), *in_range(over, term.dtype)):
            return None
        # Rounding towards zero is rounding down where the numerator is not negative.
        value, divisor = of_affine(over, ring), of_affine(under, ring)
        down = quotient("floordiv", value, divisor, self.domain, term.dtype)
        if term.op == "tdiv":
            return down
        return subtracted(value, multiplied(divisor, down, self.domain, term.dtype))

    def _affine(self, term: Term) -> Affine | None:
        """Return the affine expression of indices that a term is, exactly; None where it is none or might wrap."""
        if isinstance(term, Apply):
            found = self._affine(term.args[0]) if term.op == "cast" else None
            return found if found is not None and self._keeps(found, term.args[0].dtype, term.dtype) else None
        if isinstance(term, Constant) and term.value.denominator == 1 and term.dtype != "bool":
            return Affine(int(term.value))
        if not isinstance(term, Index):
            return None
        if not is_float(term.dtype) and width(term.dtype) < INDEX_WIDTH:
            return term.affine if self.domain.implies(*in_range(term.affine, term.dtype)) else None
        if term.dtype.startswith("u") and not self.domain.is_subset(affine_condition("ge", term.affine)):
            return None
        return term.affine

    def _keeps(self, value: Affine, source: DType, target: DType) -> bool:
        """Tell whether a conversion leaves an affine expression as it is; positions are below two to the 53."""
        if is_exact(source, target) or target == "f64":
            return source != "bool"
        may_fit = is_integer(source) and (target in NARROW or is_integer(target))
        return may_fit and self.domain.implies(*in_range(value, target))


def _float_bits(term: Term) -> int:
    """Return the least precision of the floats from which a float is computed."""
    seen: set[Term] = set()
    rest = [term]
    while rest:
        item = rest.pop()
        if is_float(item.dtype) and item not in seen:
            seen.add(item)
            rest += item.children
    return min((EXACT_BITS[item.dtype] for item in seen), default=EXACT_BITS["f64"])


def _unconverted(term: Apply) -> Apply:
    """Compare what conversions are made from with zero, where they keep zero and signs."""
    while isinstance(left := term.args[0], Apply) and left.op == "cast":
        rule = f"{term.op} of a converted integer and zero"
        found = rewritten(rule, term, types={"M": left.dtype}, a=left.args[0])
        if not isinstance(found, Apply):
            break
        term = found
    return term


def _is_operand(body: Term, name: str) -> bool:
    """Whether a variable is, or is in, an operand of a function that is no sum, difference or product."""
    rest = [(body, False)]
    for term, is_inside in rest:
        if isinstance(term, Index) and is_inside and name in term.affine.variables:
            return True
        opaque = is_inside or (isinstance(term, Apply) and term.op not in _POLYNOMIAL)
        rest += [(child, opaque) for child in term.children]
    return False


def _empty_fold(term: Reduce) -> Poly:
    """Return the value of a fold over no points."""
    if term.op in ("sum", "any"):
        return Poly((), modulus(term.dtype))
    if term.op in ("all", "prod"):
        return number(1, modulus(term.dtype))
    return neutral(term.op.removeprefix("f"), term.dtype)
