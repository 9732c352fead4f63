"""Nests in which each cell needs its neighbours above and to the left: loops over anti-diagonals, and what is none."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lifts import lifted_text

from tensorlift import lift
from tensorlift.comprehension.skewing import skewed
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.targets import get_target

EDIT_DISTANCE = """void distance(int m, int n, const char *s, const char *t, int d[m + 1][n + 1]) {
  for (int i = 0; i <= m; i++) d[i][0] = i;
  for (int j = 0; j <= n; j++) d[0][j] = j;
  for (int i = 1; i <= m; i++)
    for (int j = 1; j <= n; j++) {
      int best = d[i - 1][j - 1] + (s[i - 1] != t[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      d[i][j] = best;
    }
}
"""
NEST = """void f(int m, int n, double a[m][n], const double x[m]) {{
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      a[i][j] = {};
}}
"""
SEIDEL = NEST.format("0.25 * (a[i - 1][j] + a[i][j - 1] + a[i + 1][j] + a[i][j + 1])")


@pytest.mark.parametrize("to", ["numpy", "torch"])
def test_a_table_of_distances_is_filled_diagonal_by_diagonal(to: str) -> None:
    library = pytest.importorskip(to)
    distance = lift(EDIT_DISTANCE, to=to)
    assert (distance.verdict, distance.level) == ("hybrid", "proved")
    assert distance.source.count("    for ") == 1
    assert "    for diagonal in range(2, m + n + 1):\n" in distance.source
    for one, other, expected in (
        ("kitten", "sitting", 7 - 4),
        ("", "abc", 3),
        ("abc", "", 3),
        ("", "", 0),
        ("a", "b", 1),
    ):
        words = (np.frombuffer(word.encode(), dtype=np.int8).copy() for word in (one, other))
        table = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int32)
        found = distance(*(getattr(library, "from_numpy", np.asarray)(array) for array in (*words, table)))
        assert int(found[-1, -1]) == expected


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (3, 3), (4, 9), (9, 4)])
def test_what_later_iterations_write_is_read_as_it_was(shape: tuple[int, int]) -> None:
    seidel = lift(SEIDEL)
    assert "for diagonal in" in seidel.source
    a = np.random.default_rng(0).random(shape)
    expected = a.copy()
    for i in range(1, shape[0] - 1):
        for j in range(1, shape[1] - 1):
            around = expected[i - 1, j] + expected[i, j - 1] + expected[i + 1, j] + expected[i, j + 1]
            expected[i, j] = 0.25 * around
    assert np.array_equal(seidel(a, np.zeros(shape[0])), expected)


@pytest.mark.parametrize(
    "value",
    [
        "a[i - 1][j] + a[i][j - 1] * a[i - 1][j + 1]",  # written before, and on the same diagonal
        "a[i][j - 1] + a[i - 1][j] * a[i + 1][j - 1]",  # written later, and on the same diagonal
        "a[i - 1][j] * a[i][1]",  # at no fixed distance
    ],
)
def test_nests_that_diagonals_would_run_in_another_order_stay(value: str) -> None:
    lifted = lift(NEST.format(value))
    assert lifted.level == "proved"
    assert "for diagonal in" not in lifted.source


def test_what_no_iteration_writes_may_be_anywhere() -> None:
    assert "for diagonal in" in lift(NEST.format("a[i - 1][j] * a[i][j - 1] + a[0][j] * x[i]")).source


def test_jax_and_c_keep_the_nest() -> None:
    assert lift(SEIDEL, to="jax").source.count("lax.fori_loop") == 1
    assert "diagonal" not in lift(SEIDEL, to="c").source


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("range(2, m + n - 3)", "range(3, m + n - 3)"),
        ("max(diagonal - n + 2, 1)", "max(diagonal - n + 3, 1)"),
        ("max(diagonal - n + 2, 1)", "1"),
        ("min(m - 1, diagonal)", "min(m - 1, diagonal - 1)"),
        ("diagonal - 1 - rows", "diagonal - rows"),
        ("columns = diagonal - rows", "columns = diagonal - 1 - rows"),
        ("    u[rows, columns] = ", "    u[columns, rows] = "),
        ("0.25", "0.5"),
    ],
)
def test_a_tampered_diagonal_is_rejected(old: str, new: str) -> None:
    function = lifted_text(SEIDEL.replace("a[", "u["), "numpy")
    certificate = certificate_from_json(function.certificate or {})
    assert old in certificate.program, certificate.program
    form = skewed(certificate.summary)
    assert form is not None
    for summary in (certificate.summary, form):
        with pytest.raises(CheckFailure):
            check(certificate.program.replace(old, new), certificate.entry, summary, get_target("numpy"), ())
