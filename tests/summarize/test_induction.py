"""The induction check refuses closed forms that are wrong in the base, the step or between steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import ArrayInfo
from tensorlift.comprehension.state import Effect, RecurrenceError
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.variables import strided
from tensorlift.proofs.source.induction import Guess, check_induction
from tensorlift.summarize.statements import Loop

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Term

N, NOW, X = affine("n"), affine("i"), affine("a_x0")
CONTEXT = Domain.of(at_least(N, 1))
ARRAYS = {
    "a": ArrayInfo("a", "f64", (N,), is_parameter=True),
    "s": ArrayInfo("s", "f64", (), is_parameter=True),
    "b": ArrayInfo("b", "f64", (N,), is_parameter=True),
}


def b(index: Affine) -> Term:
    return terms.read("b", (index,), "f64")


def check(effect: Effect, states: Effect, step: int = 1) -> None:
    loop = Loop("i", (Affine(0),), (N,), step, ())
    region = CONTEXT & Domain.of(at_least(N, NOW))
    check_induction(Guess(loop, effect, states, region, CONTEXT & loop.domain()), ARRAYS)


def sum_to(last: Affine) -> Term:
    k = affine("k")
    return terms.reduce("sum", ("k",), Domain.of(at_least(k, 0), less(k, last)), b(k))


OLD = terms.read("s", (), "f64")
ACCUMULATE: Effect = {"s": [(CONTEXT & Domain.of(at_least(NOW, 0), less(NOW, N)), terms.apply("add", OLD, b(NOW)))]}
GREATER = terms.apply("gt", b(NOW), OLD)
EVERYWHERE = CONTEXT & Domain.of(at_least(N, NOW))
FILL: Effect = {"a": [(CONTEXT & Domain.of(at_least(NOW, 0), less(NOW, N), equal(X, NOW)), b(X))]}


def filled(first: int, last: Affine) -> Effect:
    return {"a": [(EVERYWHERE & Domain.of(at_least(X, first), less(X, last)), b(X))]}


def test_the_right_sum_is_proved() -> None:
    check(ACCUMULATE, {"s": [(EVERYWHERE, terms.apply("add", OLD, sum_to(NOW)))]})


@pytest.mark.parametrize(
    "wrong",
    [sum_to(NOW), terms.apply("add", OLD, sum_to(NOW + 1)), terms.apply("add", OLD, sum_to(N)), OLD, b(NOW - 1)],
)
def test_a_wrong_sum_is_not_proved(wrong: Term) -> None:
    with pytest.raises(RecurrenceError):
        check(ACCUMULATE, {"s": [(EVERYWHERE, wrong)]})


def greatest(first: int, last: Affine) -> Effect:
    """Return the guess that the greatest of ``b[first:last]`` is known, from the second iteration on."""
    k = affine("k")
    fold = terms.reduce("max", ("k",), Domain.of(at_least(k, first), less(k, last)), b(k))
    begun = Domain.of(at_least(NOW, 1))
    return {"s": [(EVERYWHERE & begun, terms.apply("max", OLD, fold)), (EVERYWHERE - begun, OLD)]}


KEEP_GREATEST: Effect = {
    "s": [(CONTEXT & Domain.of(at_least(NOW, 0), less(NOW, N)), terms.apply("select", GREATER, b(NOW), OLD))]
}


def test_the_right_maximum_is_proved_piece_by_piece() -> None:
    check(KEEP_GREATEST, greatest(0, NOW))


@pytest.mark.parametrize("states", [greatest(1, NOW), greatest(0, NOW + 1), greatest(0, NOW - 1)])
def test_a_wrong_maximum_is_not_proved(states: Effect) -> None:
    with pytest.raises(RecurrenceError):
        check(KEEP_GREATEST, states)


def test_the_right_cells_are_proved() -> None:
    check(FILL, filled(0, NOW))


@pytest.mark.parametrize("states", [filled(1, NOW), filled(0, NOW + 1), filled(0, NOW - 1), filled(0, N), {"a": []}])
def test_wrong_cells_are_not_proved(states: Effect) -> None:
    with pytest.raises(RecurrenceError):
        check(FILL, states)


def test_a_state_that_changes_between_steps_is_not_proved() -> None:
    even = strided("i", Affine(0), 2)
    effect = {"a": [(domain & even, term) for domain, term in FILL["a"]]}
    with pytest.raises(RecurrenceError):
        check(effect, filled(0, NOW), step=2)
    every_second = strided("a_x0", Affine(0), 2)
    check(effect, {"a": [(domain & every_second, term) for domain, term in filled(0, NOW)["a"]]}, step=2)
