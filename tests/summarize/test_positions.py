"""Places of extremes: what searches with a best value leave, and what is not taken for one."""

from __future__ import annotations

import pytest
from tests.summarize.programs import closed, function_of, lifted

from tensorlift.comprehension.positions import Position, place_of
from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Scalar, Term, apply, cast, scalar
from tensorlift.poly.domain import UNIVERSE
from tensorlift.proofs.source.orders import equal_by_orders

HEAD = "int f(int n, double a[n], double b[n], double o[1])"


def positions(text: str) -> list[Position]:
    """Summarise a function, which must leave no loop, and return the positions that occur."""
    terms = (node for d in closed(text).definitions() for _, term in d.pieces for node in walk(term))
    return [found.position for found in map(place_of, terms) if found is not None]


def search(update: str, *, best: str = "a[0]", place: str = "0", head: str = "int i = 1; i < n; i++") -> str:
    return f"{HEAD} {{ double m = {best}; int k = {place}; for ({head}) {update} o[0] = m; return k; }}"


TAKE = "{ m = a[i]; k = i; }"
SEARCHES = {  # what is greatest (True) or least, and whether the last one is taken
    f"if (a[i] > m) {TAKE}": (True, False),
    f"if (m < a[i]) {TAKE}": (True, False),
    f"if (a[i] >= m) {TAKE}": (True, True),
    f"if (a[i] < m) {TAKE}": (False, False),
    f"if (a[i] <= m) {TAKE}": (False, True),
    f"if (!(a[i] <= m)) {TAKE}": (True, False),
    f"{{ if (a[i] <= m) continue; {TAKE[1:-1]} }}": (True, False),
    "if (a[i] > m) { k = i; m = a[i]; }": (True, False),
    "if (a[i] * b[i] > m) { m = a[i] * b[i]; k = i; }": (True, False),
    "{ double t = fabs(a[i]); if (t > m) { m = t; k = i; } }": (True, False),
    "{ if (a[i] >= m) k = i; if (a[i] > m) m = a[i]; }": (True, True),
    "if (a[i] > m) { m = a[i]; k = 2 * i + 1; }": (True, False),
    "if (a[i] > m) { m = a[i]; k = n - i; }": (True, False),
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("update", SEARCHES)
@pytest.mark.parametrize("start", [("a[0]", "0"), ("-1e300", "-1"), ("2.0", "n")])
def test_a_search_for_an_extreme_becomes_its_position(update: str, start: tuple[str, str]) -> None:
    found = positions(search(update, best=start[0], place=start[1]))
    assert found
    assert {(p.is_greatest, p.is_last) for p in found} == {SEARCHES[update]}


@pytest.mark.parametrize(
    ("condition", "start"),
    [
        ("b[i] > 0 && a[i] > m", "-INFINITY"),
        ("a[i] > m && b[i] > 0", "-1e300"),
        ("b[i] > 0 && b[i] < 5 && a[i] > m", "2.0"),
        ("!(b[i] > 0) && a[i] < m", "INFINITY"),
    ],
)
def test_a_search_among_some_is_one_among_all_where_the_others_are_infinite(condition: str, start: str) -> None:
    assert positions(search(f"if ({condition}) {TAKE}", best=start, place="-1", head="int i = 0; i < n; i++"))


def test_ranges_fall_and_have_steps_and_rows() -> None:
    assert positions(search(f"if (a[i] > m) {TAKE}", best="a[n - 1]", place="n - 1", head="int i = n - 2; i >= 0; i--"))
    assert positions(search(f"if (a[i] > m) {TAKE}", head="int i = 0; i < n; i += 2"))
    assert positions("""void f(int n, int m, int a[m][n], int k[m]) { for (int r = 0; r < m; r++) {
        int s = a[r][0]; int at = 0; for (int i = 1; i < n; i++) if (a[r][i] > s) { s = a[r][i]; at = i; }
        k[r] = at; } }""")


# The loop stays, whatever else is done with it: the interpreter agrees with that.
OTHERS = [
    "{ if (b[i] > 0 && a[i] > m) k = i; if (a[i] > m) m = a[i]; }",
    "{ if (a[i] > m) k = i; if (b[i] > 0 && a[i] > m) m = a[i]; }",
    "{ if (b[i] > 0 && a[i] > m) k = i; if (b[i] < 0 && a[i] > m) m = a[i]; }",
    "{ if (a[i] > m) m = a[i]; if (a[i] > m) k = i; }",
    "{ if (a[i] > m) k = i; if (b[i] > m) m = b[i]; }",
    "if (a[i] > m) { m = b[i]; k = i; }",
    "if (a[i] > m) { m = a[i] + 1; k = i; }",
    "{ if (a[i] > m) k = i; if (a[i] < m) m = a[i]; }",
    "if (a[i] > m) { m = a[i]; k = k + i; }",
    "if (a[i] > m + k) { m = a[i]; k = i; }",
    "if (a[i] > m) { m = a[i]; if (b[i] > 0) k = i; }",
]


@pytest.mark.parametrize("update", OTHERS)
def test_what_is_no_search_for_an_extreme_is_not_taken_for_one(update: str) -> None:
    summary = lifted(function_of(search(update)))
    terms = (node for d in summary.definitions() for _, term in d.pieces for node in walk(term))
    assert all(place_of(node) is None for node in terms)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("comparison", [">", ">=", "<", "<="])
@pytest.mark.parametrize("start", ["a[0][0]", "-2.0"])
def test_a_search_in_a_matrix_finds_the_row_and_what_is_in_it(comparison: str, start: str) -> None:
    found = positions(f"""int f(int n, int m, double a[n][m], double b[n][m], double o[1]) {{
        double best = {start}, taken = 0; int r = 0, c = 0;
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
            if (a[i][j] {comparison} best) {{ best = a[i][j]; r = i; c = j; taken = b[i][j]; }}
        o[0] = taken; return r * m + c; }}""")
    assert {(p.is_greatest, p.is_last) for p in found} == {(">" in comparison, "=" in comparison)}


# -- orders


X, Y, Z = (scalar(name, "f64") for name in "xyz")
P, Q = (cast(scalar(name, "i32"), "i64") for name in "pq")
PLACE = Position(is_greatest=True, is_last=False, bound="t", domain=UNIVERSE, body=X).term


def _select(condition: Term, chosen: Term, other: Term) -> Term:
    return apply("select", condition, chosen, other)


def _nested(outer: str, inner: str) -> Term:
    return _select(apply(outer, X, apply("max", Y, Z)), PLACE, _select(apply(inner, Y, Z), P, Q))


def test_terms_are_compared_under_each_order() -> None:
    """``x > max(y, z)`` is ``x > y`` and ``x > z``."""
    apart = _select(
        apply("gt", X, Y), _select(apply("gt", X, Z), PLACE, _nested("gt", "gt")), _select(apply("gt", Y, Z), P, Q)
    )
    assert equal_by_orders(_nested("gt", "gt"), apart, UNIVERSE)


@pytest.mark.parametrize(("outer", "inner"), [("ge", "gt"), ("gt", "ge"), ("lt", "gt"), ("gt", "lt")])
def test_ties_and_opposite_orders_count(outer: str, inner: str) -> None:
    assert not equal_by_orders(_nested("gt", "gt"), _nested(outer, inner), UNIVERSE)


def test_without_an_extreme_nobody_looks_at_orders() -> None:
    assert isinstance(X, Scalar)
    term = _select(apply("gt", X, Y), X, Y)
    assert not equal_by_orders(term, term, UNIVERSE)
