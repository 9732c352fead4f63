"""The course of a running fold: along which variable it grows, by one point from value to value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.matching import alike
from tensorlift.comprehension.rewrite import substitute
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine, equal
from tensorlift.poly.variables import extreme_of
from tensorlift.targets.c.sums import folds_of, has_fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.terms import Reduce, Term


_MOST_FOLDS = 4  # that run side by side


class Course(NamedTuple):
    """A fold that runs along a variable from ``start`` on; ``newest`` is the point that comes in.

    At the first value none does where it ``starts_later``.
    """

    fold: Reduce
    variable: str
    newest: Affine
    start: Affine
    starts_later: bool

    def before(self) -> Domain:
        """Return the points of the fold that are in it before its variable has its first value."""
        first = {self.variable: self.start}
        return self.fold.domain.substitute(first) - _first_points(self.fold, self.newest, first)


def plain_folds(term: Term) -> list[Reduce]:
    """Return the folds of a term, few of them, each over one variable; none where one is another, or holds some."""
    folds: list[Reduce] = []
    for fold in folds_of(term):
        folds += [] if any(alike(fold, other) for other in folds) else [fold]
    is_plain = len(folds) <= _MOST_FOLDS and all(len(f.bound) == 1 and not has_fold(f.body) for f in folds)
    return folds if is_plain else []


def course_of(term: Term, variables: Sequence[str], where: Domain) -> Course | None:
    """Find the running fold of a term that has no other."""
    courses = courses_of(term, variables, where)
    return courses[0] if len(courses) == 1 else None


def courses_of(term: Term, variables: Sequence[str], where: Domain) -> list[Course]:
    """Find how all folds of a term run along one of some variables, the last ones first, which leave out no values."""
    folds = plain_folds(term)
    for variable in reversed(variables) if folds else ():
        found = [course for fold in folds if (course := _along(fold, variable, where)) is not None]
        if len(found) == len(folds) and len({course.starts_later for course in found}) == 1:
            return found
    return []


def _along(fold: Reduce, variable: str, where: Domain) -> Course | None:
    newest = _newest(fold, variable, where)
    start = None if newest is None else end_of(variable, where, maximum=False)
    if newest is None or start is None:
        return None
    points = _first_points(fold, newest, {variable: start}) & where.project_out(variable)
    inside = points & fold.domain.substitute({variable: start})
    is_one = inside.is_empty() or inside.is_equal(points)
    return Course(fold, variable, newest, start, inside.is_empty()) if is_one else None


def is_running(definition: Definition) -> bool:
    """Tell whether cells are folds that run along an axis, from either end."""
    return any(
        bool(plain_folds(term)) and not domain.has_divisions and _runs(term, definition.indices, domain)
        for domain, term in definition.pieces
    )


def _runs(term: Term, variables: Sequence[str], where: Domain) -> bool:
    ends = {variable: end_of(variable, where, maximum=True) for variable in variables}
    turned = ({name: end - Affine.var(name)} for name, end in ends.items() if end is not None)
    ways = (({}, term), *((values, substitute(term, values)) for values in turned))
    return any(courses_of(one, variables, where.substitute(values)) for values, one in ways)


def end_of(variable: str, where: Domain, *, maximum: bool) -> Affine | None:
    """Return the first or last value of a variable; None where it is no single expression."""
    try:
        ends = extreme_of(where, variable, maximum=maximum)
    except NotAffine:
        return None
    return ends[0][1] if len(ends) == 1 else None


def _first_points(fold: Reduce, newest: Affine, first: Mapping[str, Affine]) -> Domain:
    """Return the points that come in where a variable has its first value."""
    return Domain.of(equal(fold.bound[0], newest.substitute(first)))


def _newest(fold: Reduce, variable: str, where: Domain) -> Affine | None:
    """Return the point of a fold that comes in at each value of a variable; None where more or others do."""
    (bound,) = fold.bound
    if variable in fold.body.free or not fold.domain.mentions(variable):
        return None
    try:
        ends = extreme_of(fold.domain & where, bound, maximum=True)
    except NotAffine:
        return None
    if len(ends) != 1 or ends[0][1].coefficient(variable) != 1:
        return None
    newest = ends[0][1]
    following = {variable: Affine.var(variable) + 1}
    both = where & where.substitute(following)
    grown = fold.domain | Domain.of(equal(bound, newest.substitute(following)))
    return newest if (grown & both).is_equal(fold.domain.substitute(following) & both) else None
