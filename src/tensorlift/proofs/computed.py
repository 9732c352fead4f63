"""What a cell's value depends on: partial functions and roundings to single precision, with the points and conditions.

A selection depends on the chosen arm only.  Everything else depends on all of its operands, also where they cancel over
the reals: zero times infinity is no number, and neither is infinity minus itself.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Apply, Constant, Piecewise, Reduce, Term
from tensorlift.ops.conversions import is_rounding
from tensorlift.ops.dtypes import is_float, rounded
from tensorlift.ops.scalar_ops import ON_NUMBERS, REALS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.domain import Domain

Guards = tuple[tuple[Term, bool], ...]

# Functions of reals that are not finite for some finite operands.
PARTIAL = frozenset({"div", "rem", "mod", "pow", *(name for name, function in REALS.items() if function.is_partial)})
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


def computed(term: Term, domain: Domain, variables: tuple[str, ...] = (), *, in_source: bool = False) -> list[Computed]:
    """Return what the value of a term depends on.

    Of a program's comparisons and conversions to integers the operands do not count as partial, since their results
    are numbers in any case.  The source computes them all the same, except in conjunctions, which it may cut short.
    """
    if not may_matter(term):
        return []
    return list(_Collection(in_source=in_source).of(term, _Place(domain, variables)))


def may_matter(term: Term) -> bool:
    """Tell whether a term may hold a partial function or a rounding to single precision."""
    return any(_is_partial(node) or node.dtype == "f32" for node in walk(term))


class _Place(NamedTuple):
    """Where an operation stands in a value.

    ``last`` where its rounding is that of the whole value, ``counts`` where a partial function shows in the value.
    """

    domain: Domain
    variables: tuple[str, ...]
    guards: Guards = ()
    last: bool = True
    counts: bool = True

    def found(self, kind: str, term: Term) -> Computed:
        """Return an operation that stands here."""
        return Computed(kind, term, self.domain, self.variables, self.guards)


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
            last = place.last and term.op not in ("sum", "prod")
            yield from self.of(term.body, place._replace(domain=inside, variables=bound, last=last))
        elif isinstance(term, Piecewise):
            for part, piece in term.pieces:
                inside = place.domain & part
                if not inside.is_empty():
                    yield from self.of(piece, place._replace(domain=inside))
        elif isinstance(term, Apply):
            yield from self._operation(term, place)

    def _operation(self, term: Apply, place: _Place) -> Iterator[Computed]:
        if place.counts and _is_partial(term):
            yield place.found("partial", term)
        if _is_rounding(term) and not place.last:
            yield place.found("narrowed", term)
        if _leaves_single(term):
            yield from (place.found("widened", item) for item in self._single(term))
        if term.op == "select":
            condition, *arms = term.args
            yield from self.of(condition, place._replace(last=False))
            for arm, holds in zip(arms, (True, False), strict=True):
                yield from self.of(arm, place._replace(guards=(*place.guards, (condition, holds))))
            return
        inside = place._replace(last=place.last and _keeps(term), counts=place.counts and not self._hides(term))
        for operand in term.args:
            yield from self.of(operand, inside)

    def _hides(self, term: Apply) -> bool:
        """Tell whether partial functions of the operands count no longer."""
        if self._in_source:
            return term.op in ("and", "or")
        return term.op in _COMPARISONS or (term.op == "cast" and not is_float(term.dtype))

    def _single(self, term: Apply) -> Iterator[Term]:
        """Yield the single precision results that leave their type here, each by itself."""
        waiting: list[Term] = [a for a in term.args if a.dtype == "f32"]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Piecewise) or (isinstance(item, Apply) and item.op in ("select", *_EXACT)):
                waiting += [c for c in item.children if c.dtype == "f32"]
            elif self._is_rounded(item):
                yield item

    def _is_rounded(self, term: Term) -> bool:
        """Tell whether a value in single precision is a result, and not a number that was given in it."""
        if isinstance(term, Reduce):
            return term.op in ("sum", "prod") or self._is_rounded(term.body)
        return isinstance(term, Apply) and (term.op != "cast" or _is_rounding(term))


def _is_partial(term: Term) -> bool:
    if not isinstance(term, Apply) or term.op not in PARTIAL or not is_float(term.dtype):
        return False
    if term.op == "div":
        return not (isinstance(term.args[1], Constant) and term.args[1].value)
    return not all(isinstance(a, Constant) for a in term.args)


def _is_rounding(term: Apply) -> bool:
    """Tell whether a conversion to single precision may change the value."""
    if term.op != "cast" or term.dtype != "f32":
        return False
    source = term.args[0].dtype
    if source == "f64":
        return not _fits_single(term.args[0])
    return is_rounding(source, "f32")


def _fits_single(term: Term) -> bool:
    """Tell whether single precision holds a double that is computed of constants alone, be it infinite or no number."""
    if isinstance(term, Apply) and term.op == "neg":
        return _fits_single(term.args[0])
    return (isinstance(term, Apply) and term.op in ("infinity", "nan")) or _single_number(term) is not None


def _single_number(term: Term) -> Fraction | None:
    """Return the value of a term over constants alone, where single precision holds it and each value on the way."""
    if isinstance(term, Constant):
        value = term.value
    elif isinstance(term, Apply) and term.op in ON_NUMBERS:
        operands = [number for operand in term.args if (number := _single_number(operand)) is not None]
        if len(operands) < len(term.args) or (term.op == "div" and not operands[1]):
            return None
        value = ON_NUMBERS[term.op](*operands)
    else:
        return None
    return value if Fraction(float(value)) == value == rounded(value, "f32") else None


def is_rounded_double(term: Term) -> bool:
    """Tell whether a term is a double that is rounded to single precision."""
    return isinstance(term, Apply) and term.op == "cast" and term.dtype == "f32" and term.args[0].dtype == "f64"


def _leaves_single(term: Apply) -> bool:
    """Tell whether an operation takes values out of single precision."""
    if term.op in _COMPARISONS or term.op == "cast":
        return term.dtype != "f32" and any(a.dtype == "f32" for a in term.args)
    return term.dtype == "f64" and any(a.dtype == "f32" for a in term.args)


def _keeps(term: Apply) -> bool:
    """Tell whether a rounding of an operand is no more than one of the result."""
    return term.op in _EXACT or (term.op == "cast" and term.dtype == "f32")
