"""What the latest point of a domain stored: the values that are written over are no more, but they were computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.counts import conjuncts
from tensorlift.comprehension.matching import alike
from tensorlift.comprehension.rewrite import flattened, substitute
from tensorlift.comprehension.terms import Constant, Index, Reduce, Term, applies, zero
from tensorlift.ops.dtypes import integer_range
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from tensorlift.poly.domain import Domain

_NOTHING = integer_range("i64")[0]  # is less than any point


class Latest(NamedTuple):
    """What is taken from the latest point of a domain at which tests hold."""

    bound: tuple[str, ...]
    domain: Domain
    tests: tuple[Term, ...]
    value: Term


def latest_in(term: Term) -> Latest | None:
    """Read ``select(l >= 0, sum(k : ...) select(max(l, 0) == k, v(k), 0), old)``, a store of the last value.

    There ``l`` is ``max(-1, max(k : ...) select(test(k), k, nothing))``, the last point at which a test holds:
    that a place hits a cell, and perhaps more.
    """
    if not applies(term, "select") or not isinstance(picked := term.args[1], Reduce) or picked.op != "sum":
        return None
    test, body = term.args[0], picked.body
    latest = test.args[0] if applies(test, "ge") and _is(test.args[1], 0) else None
    if not applies(latest, "max") or not isinstance(latest.args[1], Reduce) or not _is(latest.args[0], -1):
        return None
    fold = flattened(latest.args[1])
    if not (fold.op == "max" and applies(fold.body, "select") and len(fold.bound) == len(picked.bound) == 1):
        return None
    if not (applies(body, "select") and applies(body.args[0], "eq") and body.args[2] is zero(picked.dtype)):
        return None
    place, at = body.args[0].args
    if not (applies(place, "max") and _is(place.args[1], 0) and alike(place.args[0], latest)):
        return None
    holds, point, nothing = fold.body.args
    if not (_is_index(at, picked.bound[0]) and _is_index(point, fold.bound[0]) and _is(nothing, _NOTHING)):
        return None
    here = {fold.bound[0]: Affine.var(picked.bound[0])}
    tests = tuple(substitute(part, here) for part in conjuncts(holds))
    if not any(applies(test, "hits") for test in tests):
        return None
    return Latest(picked.bound, fold.domain.substitute(here) & picked.domain, tests, body.args[1])


def _is(term: Term, number: int) -> bool:
    return isinstance(term, Constant) and term.value == number


def _is_index(term: Term, name: str) -> bool:
    return isinstance(term, Index) and term.affine == Affine.var(name)
