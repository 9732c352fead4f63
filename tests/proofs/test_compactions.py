"""Stores at places that count: right programs are proved, those that store elsewhere, else or less are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.comprehension import terms
from tensorlift.comprehension.counts import is_alone, running_count
from tensorlift.poly.affine import affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.proofs.failure import OBLIGATION, UNEQUAL, UNREADABLE

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType

PACK = """void f(int n, const double *restrict x, const double *restrict y, double *restrict out) {
  int k = 0; for (int i = 0; i < n; i++) if (x[i] > 0) out[k++] = y[i]; }"""
LATER = PACK.replace("k = 0", "k = 2")
STORE = "out = out.copy()\n    out[{}] = {}\n    return out"
MASK = "x > 0"
COUNT = "(x > 0).sum(dtype=np.int32)"

RIGHT = [
    (PACK, f":{COUNT}", f"y[{MASK}]"),
    (PACK, f"0:{COUNT}", f"y[{MASK}]"),
    (PACK, ":np.sum((x > 0).astype(np.int32), dtype=np.int32)", "y[0 < x]"),
    (LATER, f"2:2 + {COUNT}", f"y[{MASK}]"),
]
WRONG = [
    (PACK, f":{COUNT}", "y[x >= 0]", UNREADABLE),
    (PACK, f":{COUNT}", "y[~(x > 0)]", UNREADABLE),
    (PACK, f":1 + {COUNT}", f"y[{MASK}]", UNREADABLE),
    (PACK, ":(x >= 0).sum(dtype=np.int32)", "y[x >= 0]", OBLIGATION),
    (PACK, f"1:1 + {COUNT}", f"y[{MASK}]", OBLIGATION),
    (PACK, f":{COUNT}", f"x[{MASK}]", UNEQUAL),
    (PACK, f":{COUNT}", f"(2 * y)[{MASK}]", UNEQUAL),
    (PACK, f":{COUNT}", f"y[::-1][{MASK}]", UNEQUAL),
    (PACK, ":(x[::-1] > 0).sum(dtype=np.int32)", "y[x[::-1] > 0]", OBLIGATION),
    (PACK, ":(x[1:] > 0).sum(dtype=np.int32)", "y[1:][x[1:] > 0]", OBLIGATION),
    (PACK, f":{COUNT}", f"y[:, None][{MASK}]", UNREADABLE),
    (PACK, f":{COUNT}", f"(y,)[{MASK}]", UNREADABLE),
    (LATER, f":{COUNT}", f"y[{MASK}]", OBLIGATION),
]


def _program(at: str, value: str) -> str:
    return f"def f(x, y, out):\n    {STORE.format(at, value)}\n"


@pytest.mark.parametrize(("source", "at", "value"), RIGHT)
def test_what_a_mask_keeps_is_stored_in_order(accept: Accept, source: str, at: str, value: str) -> None:
    accept(source, _program(at, value))


@pytest.mark.parametrize(("source", "at", "value", "code"), WRONG)
def test_another_store_is_rejected(reject: Reject, source: str, at: str, value: str, code: str) -> None:
    assert reject(source, _program(at, value)) == code


LATE, EARLY, POINT = "i", "j", "k"
PAIRS = Domain.of(at_least(EARLY, 0), less(EARLY, LATE), less(LATE, affine("n")))


def _flag(at: str) -> Term:
    return terms.apply("gt", terms.read("x", (affine(at),), "f64"), terms.constant(0, "f64"))


def _count(domain: Domain, dtype: DType = "i32", amount: int = 1) -> Term:
    one, none = terms.constant(amount, dtype), terms.zero(dtype)
    return terms.reduce("sum", (POINT,), domain, terms.apply("select", _flag(POINT), one, none))


def _hit(count: Term) -> Term:
    return terms.apply("hits", terms.cast(count, "i64"), terms.index(affine("c"), "i64"))


BEFORE = Domain.of(at_least(POINT, 0), less(POINT, LATE))


def test_a_count_of_what_stores_hits_a_cell_once() -> None:
    assert is_alone(terms.apply("and", _flag(LATE), _hit(_count(BEFORE))), LATE, EARLY, PAIRS)
    assert is_alone(terms.apply("and", _hit(_count(BEFORE, amount=-1)), _flag(LATE)), LATE, EARLY, PAIRS)


def test_other_counts_may_hit_a_cell_again() -> None:
    other = terms.apply("gt", terms.read("y", (affine(LATE),), "f64"), terms.constant(0, "f64"))
    both = terms.apply("and", terms.apply("and", other, _flag(LATE)), _hit(_count(BEFORE)))
    some = Domain.of(at_least(POINT, 3), less(POINT, LATE))
    all_ = Domain.of(at_least(POINT, 0), less(POINT, affine("n")))
    assert not is_alone(_hit(_count(BEFORE)), LATE, EARLY, PAIRS), "a store without the condition that counts"
    assert not is_alone(terms.apply("and", other, _hit(_count(BEFORE))), LATE, EARLY, PAIRS)
    assert not is_alone(both, LATE, EARLY, PAIRS), "what counts without a store may wrap around"
    assert not is_alone(terms.apply("and", _flag(LATE), _hit(_count(some))), LATE, EARLY, PAIRS), "some do not count"
    assert not is_alone(terms.apply("and", _flag(LATE), _hit(_count(all_))), LATE, EARLY, PAIRS), "all count at once"
    assert not is_alone(terms.apply("and", _flag(LATE), _hit(_count(BEFORE, "u8"))), LATE, EARLY, PAIRS), (
        "bytes wrap around"
    )


def test_a_running_count_has_a_start_and_a_condition() -> None:
    found = running_count(terms.apply("add", terms.constant(3, "i32"), _count(BEFORE)), LATE)
    assert found is not None
    assert (found.start, found.step, found.at(LATE)) == (terms.constant(3, "i32"), 1, _flag(LATE))
    assert running_count(_count(BEFORE, amount=2), LATE) is None
