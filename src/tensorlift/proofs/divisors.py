"""Proofs that a divisor is never zero.

C's division by zero is undefined, so that a program may divide wherever the source does; elsewhere it must not, and
``np.where`` computes both of its arms everywhere.  A divisor is accepted if it is a nonzero constant, a size that is
not zero, a selection whose condition excludes zero (``np.where(d == 0, 1, d)``), or a value by which the source itself
divides on the same points, under no stronger conditions.

Divisions of integers in a term: machines stop at a division by zero, so that each must be known to be of none.

What a cell's value depends on: partial functions and roundings to single precision, with the points and conditions.

A selection depends on the chosen arm only, and a conjunction on its second operand where the first one holds.
Everything else depends on all of its operands, also where they cancel over the reals: zero times infinity is no number,
and neither is infinity minus itself.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from tensorlift.comprehension import terms
from tensorlift.comprehension.matching import matches
from tensorlift.comprehension.normal.alike import as_extreme
from tensorlift.comprehension.places import At, Guards, operands_in_any_case
from tensorlift.comprehension.positions import position_of
from tensorlift.comprehension.rewrite import exchanged, place_of, substitute, walk
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Term, applies
from tensorlift.ops.conversions import is_rounding
from tensorlift.ops.dtypes import FRACTION_BITS, NARROW, DType, is_float, is_integer, rounded, width
from tensorlift.ops.scalar_ops import ON_NUMBERS, REALS
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.expansion import Facts
from tensorlift.proofs.implied import is_implied, reads_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.proofs.expansion import Definitions, Equality, Surroundings


# Functions of reals that are not finite for some finite operands.
PARTIAL = frozenset({"div", "rem", "mod", "pow", *(name for name, function in REALS.items() if function.is_partial)})
_CUT_SHORT = ("and", "or")  # what their first operand decides, the others do not matter for
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_EXACT = frozenset({"neg", "abs", "max", "min", "fmax", "fmin", "copysign"})  # one of the operands, up to its sign


class Computed(NamedTuple):
    """An operation on which a value depends at every point of a domain where the guards hold.

    ``kind`` is ``partial``, for the application of a partial function; ``narrowed``, for a value that is rounded to
    single precision and computed with further; or ``widened``, for a single precision result that goes into a wider
    type or a comparison.
    """

    kind: str
    term: Term
    domain: Domain
    variables: tuple[str, ...]
    guards: Guards


def by_multiples(item: Computed) -> Computed:
    """Say the same of multiples of a variable, where all subscripts have these: ``f(k)``, k even, for ``f(2 k)``."""
    for variable in item.variables:
        subscripts = [index for node in walk(item.term) for index in _subscripts(node)]
        factor = gcd(*(index.coefficient(variable) for index in subscripts))
        if factor <= 1 or any(variable in condition.free for condition, _ in item.guards):
            continue
        multiple = fresh(variable)

        def change(node: Term, variable: str = variable, multiple: str = multiple, factor: int = factor) -> Term | None:
            moved = [
                index + Affine.var(multiple, c // factor) - Affine.var(variable, c)
                for index in _subscripts(node)
                for c in [index.coefficient(variable)]
            ]
            if isinstance(node, Read):
                return terms.read(node.array, tuple(moved), node.dtype)
            return terms.index(moved[0], node.dtype) if isinstance(node, Index) else None

        term = exchanged(item.term, change)
        if variable not in term.free:
            where = item.domain & Domain.of(equal(multiple, Affine.var(variable, factor)))
            variables = tuple(multiple if v == variable else v for v in item.variables)
            item = Computed(item.kind, term, where.project_out(variable), variables, item.guards)
    return item


def _subscripts(node: Term) -> tuple[Affine, ...]:
    if isinstance(node, Read):
        return node.indices
    return (node.affine,) if isinstance(node, Index) else ()


def computed(term: Term, domain: Domain, variables: tuple[str, ...] = (), *, in_source: bool = False) -> list[Computed]:
    """Return what the value of a term depends on.

    Of a program's comparisons and conversions to integers the operands do not count as partial, since their results
    are numbers in any case.  The source computes them all the same, except in conjunctions, which it may cut short.
    """
    if not may_matter(term):
        return []
    return list(_Collection(in_source=in_source).of(term, _Place(domain, variables)))


def may_matter(term: Term) -> bool:
    """Tell whether a term may hold a partial function or a rounding to a narrower float."""
    return any(_is_partial(node) or node.dtype in NARROW for node in walk(term))


class _Place(NamedTuple):
    """Where an operation stands in a value.

    ``last`` where its rounding is that of the whole value, ``counts`` where a partial function shows in the value;
    ``beside`` are sums that it is multiplied by.
    """

    domain: Domain
    variables: tuple[str, ...]
    guards: Guards = ()
    last: bool = True
    counts: bool = True
    beside: tuple[Reduce, ...] = ()

    def found(self, kind: str, term: Term) -> Computed:
        """Return an operation that stands here; how a factor of a sum over nothing is rounded does not show."""
        domain = self.domain
        for total in self.beside if kind == "narrowed" else ():
            domain &= total.domain.project_out(*total.bound)
        return Computed(kind, term, domain, self.variables, self.guards)


class _Collection:
    def __init__(self, *, in_source: bool) -> None:
        self._in_source = in_source
        self._seen: set[tuple[Term, _Place]] = set()

    def of(self, term: Term, place: _Place) -> Iterator[Computed]:
        """Yield what a value depends on, each operation once for each place."""
        if (term, place) in self._seen:
            return
        self._seen.add((term, place))
        if isinstance(term, Reduce):
            inside, bound = place.domain & term.domain, place.variables + term.bound
            if not self._in_source and position_of(term) is not None:
                inside &= _has_others(term)
            last = place.last and (term.op not in ("sum", "prod") or place_of(term) is not None)
            yield from self.of(term.body, place._replace(domain=inside, variables=bound, last=last))
        elif isinstance(term, Piecewise):
            for part, piece in term.pieces:
                inside = place.domain & part
                if not inside.is_empty():
                    yield from self.of(piece, place._replace(domain=inside))
        elif isinstance(term, Apply):
            yield from self._operation(term, place)

    def _operation(self, term: Apply, place: _Place) -> Iterator[Computed]:
        term = as_extreme(term)  # which is of its operands' type, though it is said by comparing them
        if place.counts and _is_partial(term):
            yield place.found("partial", term)
        if _is_rounding(term) and not place.last:
            yield place.found("narrowed", term)
        yield from self._left(term, place)
        if term.op == "select":
            condition, *arms = term.args
            yield from self.of(condition, place._replace(last=False))
            for arm, holds in zip(arms, (True, False), strict=True):
                yield from self.of(arm, place._replace(guards=(*place.guards, (condition, holds))))
            return
        if term.op in _CUT_SHORT and not self._in_source:
            guards = place.guards
            for operand in term.args:
                yield from self.of(operand, place._replace(last=False, guards=guards))
                guards = (*guards, (operand, term.op == "and"))
            return
        inside = place._replace(last=place.last and _keeps(term), counts=place.counts and not self._hides(term))
        sums = () if self._in_source or term.op != "mul" else tuple(a for a in term.args if _is_sum(a))
        for operand in term.args:
            others = tuple(total for total in sums if total is not operand)
            yield from self.of(operand, inside._replace(beside=inside.beside + others) if others else inside)

    def _hides(self, term: Apply) -> bool:
        """Tell whether partial functions of the operands count no longer."""
        if self._in_source:
            return term.op in _CUT_SHORT
        return term.op in _COMPARISONS or (term.op == "cast" and not is_float(term.dtype))

    def _left(self, term: Apply, place: _Place) -> Iterator[Computed]:
        """Yield the results in narrow floats that leave their type here, each by itself; an extreme is one of many."""
        waiting: list[tuple[Term, _Place]] = [(a, place) for a in term.args if _leaves(a.dtype, term)]
        while waiting:
            item, place = waiting.pop()
            if isinstance(item, Piecewise):
                waiting += [(c, place._replace(domain=place.domain & part)) for part, c in item.pieces]
            elif applies(item, ("select", *_EXACT)):
                waiting += [(c, place) for c in item.children if c.dtype in NARROW]
            elif isinstance(item, Reduce) and item.op in _EXACT:
                inside, bound = place.domain & item.domain, place.variables + item.bound
                waiting.append((item.body, place._replace(domain=inside, variables=bound)))
            elif self._is_rounded(item):
                yield place.found("widened", item)

    def _is_rounded(self, term: Term) -> bool:
        """Tell whether a value in a narrow float is a result, and not a number that was given in it."""
        if isinstance(term, Reduce) and place_of(term) is not None:
            return self._is_rounded(term.body.children[1])
        if isinstance(term, Reduce):
            return term.op in ("sum", "prod") or self._is_rounded(term.body)
        return isinstance(term, Apply) and (term.op != "cast" or _is_rounding(term))


def _is_sum(term: Term) -> TypeGuard[Reduce]:
    return isinstance(term, Reduce) and term.op == "sum" and place_of(term) is None


def _has_others(term: Reduce) -> Domain:
    """Return the points of a fold where it has others: an extreme of one value is at that, however it is rounded."""
    point, other = term.bound[0], fresh("other")
    apart = Domain.of(less(point, other)) | Domain.of(less(other, point))
    return (apart & term.domain & term.domain.rename({point: other})).project_out(other).coalesce()


def _is_partial(term: Term) -> bool:
    if not applies(term, PARTIAL) or not is_float(term.dtype):
        return False
    if term.op == "div":
        return not (isinstance(term.args[1], Constant) and term.args[1].value)
    return not all(isinstance(a, Constant) for a in term.args)


def _is_rounding(term: Apply) -> bool:
    """Tell whether a conversion to a narrower float may change the value."""
    if term.op != "cast" or term.dtype not in NARROW or not is_rounding(term.args[0].dtype, term.dtype):
        return False
    return not (is_float(term.args[0].dtype) and _fits(term.args[0], term.dtype))


def _fits(term: Term, dtype: DType) -> bool:
    """Tell whether a type holds a float that is computed of constants alone, be it infinite or no number."""
    if applies(term, "neg"):
        return _fits(term.args[0], dtype)
    return (applies(term, ("infinity", "nan"))) or _held_number(term, dtype) is not None


def _held_number(term: Term, dtype: DType) -> Fraction | None:
    """Return the value of a term over constants alone, where a narrow type holds it and each value on the way."""
    if isinstance(term, Constant):
        value = term.value
    elif applies(term, ON_NUMBERS):
        operands = [number for operand in term.args if (number := _held_number(operand, dtype)) is not None]
        if len(operands) < len(term.args) or (term.op == "div" and not operands[1]):
            return None
        value = ON_NUMBERS[term.op](*operands)
    else:
        return None
    return value if Fraction(float(value)) == value == rounded(value, dtype) else None


def is_rounded_float(term: Term) -> bool:
    """Tell whether a term is a float that is rounded to a narrower one."""
    return applies(term, "cast") and is_float(term.args[0].dtype) and is_rounding(term.args[0].dtype, term.dtype)


def _leaves(dtype: DType, term: Apply) -> bool:
    """Tell whether an operation takes an operand of a type out of it; what is rounded further has not left."""
    if dtype not in NARROW or dtype == term.dtype:
        return False
    if is_float(term.dtype):
        return width(term.dtype) >= width(dtype)
    return term.op in _COMPARISONS or term.op == "cast"


def _keeps(term: Apply) -> bool:
    """Tell whether a rounding of an operand is no more than one of the result."""
    if term.op != "cast" or term.dtype not in NARROW:
        return term.op in _EXACT
    source = term.args[0].dtype
    return not is_float(source) or FRACTION_BITS[source] >= FRACTION_BITS[term.dtype]


_DIVISIONS = ("tdiv", "rem", "floordiv", "mod", "div")
_MOST_WAYS = 1_000  # to divisions, by conditions: others are forgotten
_DIFFERENT_IF_TRUE = ("ne", "lt", "gt")
_DIFFERENT_IF_FALSE = ("eq", "le", "ge")


class Division(NamedTuple):
    """The source divides by a value on every point of a domain where the guards hold."""

    divisor: Term
    domain: Domain
    variables: tuple[str, ...]
    guards: Guards


class Divisors:
    """Decides whether divisors can be zero, knowing where the source divides."""

    def __init__(self, definitions: Definitions, surroundings: Surroundings) -> None:
        self._definitions = definitions
        self._divisions = Facts(surroundings, self._inside, lambda one: one.divisor.reads | reads_of(one.guards))

    def never_zero(self, divisor: SymbolicTensor, context: Domain) -> bool:
        """Tell whether no cell of a divisor is zero."""
        names = tuple(fresh("d") for _ in divisor.shape)
        domain = context & Domain.box(names, divisor.shape)
        term = divisor.at(tuple(map(Affine.var, names)))
        return any(self.is_nonzero(term, domain, (), e) for e in self._definitions.equalities)

    def is_nonzero(self, term: Term, domain: Domain, guards: Guards, equality: Equality) -> bool:
        """Tell whether a divisor is not zero at the points of a domain where the guards hold.

        ``equality`` finds the value among those that the source divides by or that the guards exclude.
        """
        if isinstance(term, Constant):
            return term.value != 0
        if domain.is_empty():
            return True
        if isinstance(term, Index) and any(
            domain.implies(at_least(*pair)) for pair in ((term.affine, 1), (-1, term.affine))
        ):
            return True
        if isinstance(term, Piecewise):
            return all(self.is_nonzero(piece, domain & part, guards, equality) for part, piece in term.pieces)
        if isinstance(term, Apply) and self._by_operation(term, domain, guards, equality):
            return True
        return self._is_excluded(term, domain, guards, equality) or self._source_divides(term, domain, guards, equality)

    def _by_operation(self, term: Apply, domain: Domain, guards: Guards, equality: Equality) -> bool:
        if term.op == "select":
            condition, chosen, other = term.args
            return self.is_nonzero(chosen, domain, (*guards, (condition, True)), equality) and self.is_nonzero(
                other, domain, (*guards, (condition, False)), equality
            )
        if term.op in ("neg", "abs", "sqrt") or (term.op == "cast" and _keeps_nonzero(term)):
            return self.is_nonzero(term.args[0], domain, guards, equality)
        if term.op == "max":
            return any(isinstance(a, Constant) and a.value > 0 for a in term.args)
        return False

    def _is_excluded(self, term: Term, domain: Domain, guards: Guards, equality: Equality) -> bool:
        for one, other in _different(guards):
            left, right = _widened(one, term), _widened(other, term)
            if one.dtype != other.dtype or left.dtype != term.dtype:
                continue
            if isinstance(right, Constant) and right.value == 0 and equality(term, left, domain):
                return True
            for a, b in ((left, right), (right, left)):
                if equality(term, terms.apply("sub", a, b), domain):
                    return True
        return False

    def _source_divides(self, term: Term, domain: Domain, guards: Guards, equality: Equality) -> bool:
        """Tell whether the source divides by a term everywhere on a domain, in several places maybe."""
        for candidate in {self._definitions.expand(t, domain): None for t in (_stripped(term), term)}:
            left = domain
            for division in self._divisions:
                for there in self._divided_at(division, candidate, (guards, left), equality):
                    left -= there
                if left.is_empty():
                    return True
        return False

    def _divided_at(
        self, division: Division, term: Term, place: tuple[Guards, Domain], equality: Equality
    ) -> Iterator[Domain]:
        """Yield points of a domain, where guards hold, at which a division of the source has this divisor."""
        divisor, (guards, domain) = division.divisor, place
        if isinstance(divisor, Index) and width(divisor.dtype) <= width(term.dtype):
            divisor = terms.index(divisor.affine, term.dtype)  # not zero in a narrow type, so in none
        if divisor.dtype != term.dtype:
            return
        for values in matches(divisor, term, division.variables):
            free = [v for v in division.variables if v not in values]
            mine = substitute(divisor, values)
            there = domain & division.domain.project_out(*free).substitute(values)
            if there.is_empty() or not (mine is term or equality(mine, term, there)):
                continue
            if is_implied(division.guards, values, (guards, there), equality):
                yield there

    def _inside(self, term: Term, domain: Domain, variables: tuple[str, ...]) -> Iterator[Division]:
        """Yield what a term divides by, and under which conditions; shared ones once for the same conditions."""
        if not any(applies(node, _DIVISIONS) for node in walk(term)):
            return
        seen: set[tuple[At, Guards]] = set()
        stack: list[tuple[At, Guards]] = [((term, domain, variables), ())]
        while stack:
            found = (node, inside, bound), guards = stack.pop()
            if found in seen:
                continue
            seen.add(found)
            if applies(node, _DIVISIONS):
                # A float may be divided by an integer that is zero: only integer division tells of the integer.
                divisor = _stripped(node.args[1]) if is_integer(node.dtype) else node.args[1]
                yield Division(self._definitions.expand(divisor, inside), inside, bound, guards)
            stack += [(operand, guards) for operand in operands_in_any_case(found[0])]
            if applies(node, "select") and len(seen) < _MOST_WAYS:
                for arm, holds in zip(node.args[1:], (True, False), strict=True):
                    if any(applies(inner, _DIVISIONS) for inner in walk(arm)):
                        stack.append(((arm, inside, bound), (*guards, (node.args[0], holds))))


def _keeps_nonzero(cast: Apply) -> bool:
    """Widening keeps a value from becoming zero, and so does a change of sign."""
    source = cast.args[0].dtype
    if is_float(cast.dtype):
        return True
    return is_integer(source) and is_integer(cast.dtype) and width(cast.dtype) >= width(source)


def _widened(value: Term, divisor: Term) -> Term:
    """Return an integer in the type of a divisor, where the conversion keeps different values different."""
    if not is_integer(value.dtype) or not is_integer(divisor.dtype) or width(value.dtype) >= width(divisor.dtype):
        return value
    return terms.cast(value, divisor.dtype)


def _stripped(term: Term) -> Term:
    while applies(term, "cast") and _keeps_nonzero(term):
        term = term.args[0]
    return term


def _different(guards: Guards) -> Iterator[tuple[Term, Term]]:
    """Yield pairs of values that the guards make different."""
    for condition, holds in guards:
        if not isinstance(condition, Apply):
            continue
        if condition.op == "not":
            yield from _different(((condition.args[0], not holds),))
        elif condition.op == ("and" if holds else "or"):
            yield from _different(tuple((a, holds) for a in condition.args))
        elif condition.op in (_DIFFERENT_IF_TRUE if holds else _DIFFERENT_IF_FALSE):
            yield condition.args[0], condition.args[1]


_WHOLE = frozenset({"tdiv", "rem", "floordiv", "mod"})


def whole_divisions(term: Term, domain: Domain, guards: Guards = ()) -> Iterator[tuple[Term, Domain, Guards]]:
    """Yield the divisors of integers, each with the points and under the conditions of its division."""
    if not any(applies(node, _WHOLE) for node in walk(term)):
        return
    if isinstance(term, Reduce):
        yield from whole_divisions(term.body, domain & term.domain, guards)
    elif isinstance(term, Piecewise):
        for part, piece in term.pieces:
            yield from whole_divisions(piece, domain & part, guards)
    elif isinstance(term, Apply):
        if term.op in _WHOLE and is_integer(term.dtype):
            yield term.args[1], domain, guards
        if term.op == "select":
            condition, *arms = term.args
            yield from whole_divisions(condition, domain, guards)
            for arm, holds in zip(arms, (True, False), strict=True):
                yield from whole_divisions(arm, domain, (*guards, (condition, holds)))
        else:
            first = term.args[0] if term.op in ("and", "or") else None
            for argument in term.args:
                known = guards if first is None or argument is first else (*guards, (first, term.op == "and"))
                yield from whole_divisions(argument, domain, known)
