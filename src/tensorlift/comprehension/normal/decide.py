"""The decision whether two terms are equal at every point of a domain, for every content of the arrays.

Terms that look alike are equal at once.  Where many parts have another form beyond some border, as reads that wrap
around have, each region on which none of them changes is decided by itself.  Otherwise both are brought to normal form,
and the difference is merged until nothing is left.  Where that does not show it and a guard splits the domain, each
part is decided by itself, with more known about the indices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.normal import interning
from tensorlift.comprehension.normal.alike import alike
from tensorlift.comprehension.normal.arithmetic import cells
from tensorlift.comprehension.normal.combine import same
from tensorlift.comprehension.normal.integers import converted
from tensorlift.comprehension.normal.normalise import Scope
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Piecewise, Reduce
from tensorlift.ops.dtypes import DType, is_float
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import stride_of
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.normal.monomials import Poly
    from tensorlift.comprehension.terms import Term
    from tensorlift.poly.domain import Domain

_MANY_GUARDS = 16
_FEW_REGIONS = 40

_scopes: dict[Domain, Scope] = SESSION.table()
_answers: dict[tuple[Term, Term, Domain, interning.Purpose], bool] = SESSION.table()


def equal(a: Term, b: Term, domain: Domain) -> bool:
    """Tell whether two terms are shown equal at every point of a domain, for every content of the arrays.

    Over the reals for floats, exactly for machine integers, which wrap.  ``False`` means "not shown": a difference, a
    law that the normal form does not know, or a question beyond its budget.
    """
    if a is b:
        return True
    question = (a, b, domain, interning.tables.purpose)
    known = _answers.get(question)
    if known is None:
        known = _answers[question] = _decide(a, b, domain)
    return known


def is_spent() -> bool:
    """Tell whether the questions about a function took all that they may: others will hardly be answered."""
    return interning.tables.is_spent()


def _decide(a: Term, b: Term, domain: Domain) -> bool:
    regions = _regions(a, b, domain)
    if len(regions) > 1 and all(equal(a, b, region) for region in regions):
        return True
    try:
        with interning.tables.question():
            return domain.is_empty() or alike(a, b, domain) or _equal_within(a, b, domain)
    except (interning.Undecided, RecursionError):
        return False


def _regions(a: Term, b: Term, domain: Domain) -> list[Domain]:
    """Split a domain into regions on which no part changes its form; only where many parts do, and in few regions."""
    guards = dict.fromkeys((*_guards(a), *_guards(b)))
    found = [domain]
    if len(guards) < _MANY_GUARDS:
        return found
    for guard in guards:
        split: list[Domain] = []
        for region in found:
            is_whole = region.is_disjoint(guard) or region.is_subset(guard)
            split += [region] if is_whole else [region & guard, (region - guard).coalesce()]
        found = split
        if len(found) > _FEW_REGIONS:
            return [domain]
    return found


def _guards(term: Term) -> Iterator[Domain]:
    """Yield where parts have one of several forms; of parts in a fold, where any of its points do."""
    stack: list[tuple[Term, Domain, tuple[str, ...]]] = [(term, UNIVERSE, ())]
    seen = set(stack)
    while stack:
        node, inside, bound = stack.pop()
        if isinstance(node, Piecewise):
            yield from ((guard & inside).project_out(*bound) for guard, _ in node.pieces)
        if isinstance(node, Reduce):
            inside, bound = inside & node.domain, (*bound, *node.bound)
        new = [one for child in node.children if (one := (child, inside, bound)) not in seen and child.has_domains]
        seen.update(new)
        stack += new


def _equal_within(a: Term, b: Term, domain: Domain) -> bool:
    counted = _counting_steps(a, b, domain)
    if counted is not None:
        return _equal_within(*counted)
    left, right = _normal_forms(a, b, domain)
    if same(left, right, domain):
        return True
    split = cells((left, right), domain)
    if len(split) == 1:
        return False
    return all(_equal_in_cell(a, b, parts, domain & cell) for cell, parts in split)


def _counting_steps(a: Term, b: Term, domain: Domain) -> tuple[Term, Term, Domain] | None:
    """Count the steps of a variable of which the domain holds every second, third, ... value; None without one."""
    if not domain.has_divisions:
        return None
    for name in sorted(a.free | b.free):
        value = _solved(name, domain) or _stepped(name, domain)
        if value is not None:
            return substitute(a, {name: value}), substitute(b, {name: value}), domain.substitute({name: value})
    return None


def _solved(name: str, domain: Domain) -> Affine | None:
    """Return what an equality says of a variable."""
    return next((value for e in domain.equalities() if (value := e.solve(name)) is not None), None)


def _stepped(name: str, domain: Domain) -> Affine | None:
    """Return a variable that takes every second, third, ... value as a multiple of a new one."""
    found = stride_of(domain, name)
    return None if found is None else found[0] + Affine.var(fresh("t"), found[1])


def _equal_in_cell(a: Term, b: Term, parts: tuple[Poly, ...], domain: Domain) -> bool:
    return same(parts[0], parts[1], domain) or same(*_normal_forms(a, b, domain), domain)


def _normal_forms(a: Term, b: Term, domain: Domain) -> tuple[Poly, Poly]:
    scope = _scopes.get(domain)
    if scope is None:
        scope = _scopes[domain] = Scope(domain)
    left, right = scope.of(a), scope.of(b)
    if a.dtype == b.dtype or (is_float(a.dtype) and is_float(b.dtype)):
        return left, right
    common: DType = "f64"  # different types: as the numbers that they are
    return converted(left, a.dtype, common, domain), converted(right, b.dtype, common, domain)
