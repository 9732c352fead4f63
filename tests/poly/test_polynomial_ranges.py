"""What the C front end knows of ranges is remembered only as long as it is true."""

from __future__ import annotations

from tensorlift.ops.c_types import INT
from tensorlift.poly.loops import Domain, LoopRange
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.poly.ranges import Ranges


def test_a_condition_that_is_assumed_changes_the_answer() -> None:
    ranges = Ranges()
    n = ranges.add_size("n", INT)
    above_three = n - Polynomial.constant(4)
    assert not ranges.is_certain(above_three)
    ranges.assume(above_three)
    assert ranges.is_certain(above_three)
    ranges.forget_floors()
    assert not ranges.is_certain(above_three)


def test_certainty_and_the_assumption_on_sizes_are_kept_apart() -> None:
    ranges = Ranges()
    n = ranges.add_size("n", INT)
    assert ranges.is_nonnegative(n - ONE)
    assert not ranges.is_certain(n - ONE)
    assert ranges.is_nonnegative(n - ONE)


def test_the_same_question_in_another_domain_has_its_own_answer() -> None:
    ranges = Ranges()
    n, i = ranges.add_size("n", INT), Polynomial.variable("i")
    whole, later = (Domain((LoopRange("i", Polynomial.constant(low), (n,)),)) for low in (0, 2))
    two = Polynomial.constant(2)
    assert not ranges.is_nonnegative(i - two, whole)
    assert ranges.is_nonnegative(i - two, later)
    assert ranges.maximum(i, whole) == n - ONE
    assert ranges.minimum(i, later) == two


def test_a_quotient_is_bounded_by_its_numerator() -> None:
    ranges = Ranges()
    n = ranges.add_size("n", INT)
    half, third = ranges.quotient(n, 2), ranges.quotient(n, 3)
    assert ranges.is_nonnegative(n - half - ONE)
    assert ranges.is_nonnegative(half - third)
    assert ranges.is_nonnegative(half + half + ONE - n)
    assert not ranges.is_nonnegative(n - half - half - ONE)
    assert not ranges.is_nonnegative(third + third - half)


def test_bounds_come_first_that_the_fewest_loops_at_their_ends_meet_without_a_guard() -> None:
    ranges = Ranges()
    n, m = ranges.add_size("n", INT), ranges.add_size("m", INT)
    i, k = Polynomial.variable("i"), Polynomial.variable("k")
    outer, taps = LoopRange("i", Polynomial.constant(0), (n,)), Polynomial.constant(5)
    several = Domain((outer, LoopRange("k", Polynomial.constant(0), (i + ONE, m))))
    assert ranges.closest_bounds(k, several) == [m - ONE, n - ONE]
    guarded = Domain((outer, LoopRange("k", Polynomial.constant(0), (taps,))), (i - k,))
    assert ranges.closest_bounds(k, guarded) == [taps - ONE, n - ONE]
    first = Domain((LoopRange("i", Polynomial.constant(0), (taps,)),), (n - ONE - i,))
    assert ranges.closest_bounds(i, first) == [n - ONE, taps - ONE]


def test_guards_on_the_variables_of_bounds_are_ends_of_loops() -> None:
    ranges = Ranges()
    n, m = ranges.add_size("n", INT), ranges.add_size("m", INT)
    i, j, k, p = map(Polynomial.variable, "ijkp")
    three = Polynomial.constant(3)
    pixels = (LoopRange("i", Polynomial.constant(0), (n,)), LoopRange("j", Polynomial.constant(0), (m,)))
    taps = (LoopRange("k", ONE - i, (three,)), LoopRange("p", ONE - j, (three,)))
    border = Domain((*pixels, *taps), (ONE - i, ONE - j))
    assert ranges.is_certain(k.scale(3) + p, border)
    assert not ranges.is_certain(k.scale(3) + p, Domain((*pixels, *taps), (ONE - i,)))
