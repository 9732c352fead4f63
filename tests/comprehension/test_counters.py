"""Functions of counters: folds are the same wherever a counter begins, and powers of counts are products."""

from __future__ import annotations

import pytest
from tests.comprehension.builders import AffineLike, box, idx, mul, total

from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.terms import Term, apply, cast, scalar
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least
from tensorlift.session import SESSION

V = Affine.var
ALPHA = scalar("alpha", "f64")
SIZES = Domain.of(at_least("n", 1))
I_ = box(i="n")


def power(count: AffineLike) -> Term:
    return apply("pow", ALPHA, cast(idx(count), "f64"))


def exp(count: AffineLike) -> Term:
    return apply("exp", mul(ALPHA, cast(idx(count), "f64")))


@pytest.mark.parametrize(
    ("left", "right", "domain", "is_shown"),
    [
        (power("i"), total("k", 0, "i", ALPHA, "prod"), I_, True),
        (power(V("i") - 1), total("k", 0, V("i") - 1, ALPHA, "prod"), I_, False),  # of a number that may be negative
        (total("k", 1, V("n") + 1, power("k")), total("k", 0, "n", power(V("k") + 1)), SIZES, True),
        (
            total("k", "i", "n", exp("k")),
            total("k", 0, V("n") - V("i"), exp(V("k") + V("i"))),
            I_,
            True,
        ),
        (total("k", 1, V("n") + 1, exp("k")), total("k", 0, "n", exp("k")), SIZES, False),
        (
            total("k", 1, "n", exp("k"), "max"),
            total("k", 2, V("n") + 1, exp(V("k") - 1), "max"),
            I_,
            True,
        ),
    ],
)
def test_what_is_shown_of_functions_of_counters(left: Term, right: Term, domain: Domain, *, is_shown: bool) -> None:
    SESSION.forget()
    assert equal(left, right, domain) is is_shown
    assert equal(right, left, domain) is is_shown
