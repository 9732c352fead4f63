"""Reads at places that depend on data are spelled as NumPy subscripts, which other libraries have too."""

from __future__ import annotations

import pytest

from tensorlift import lift


def _c(parameters: str, statement: str, loops: str = "for (int i = 0; i < n; i++)") -> str:
    return f"void f(int n, int m, {parameters}) {{ {loops} {statement} }}"


IX = "const int *ix, const double *x, double *y"
NESTED = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
CASES = [
    (_c(IX, "y[i] = x[ix[i]];"), "x[ix]"),
    (_c(IX, "y[i] = x[ix[i] + 1];"), "x[ix + 1]"),
    (_c(IX, "y[i] = x[ix[n - 1 - i]];"), "x[ix[::-1]]"),
    (_c("const unsigned char *b, const float *t, float *y", "y[i] = t[b[i]];"), "t[b]"),
    (_c("const unsigned char *b, const float *t, float *y", "y[i] = t[b[i] + 1];"), "t[b.astype(np.int32) + 1]"),
    (_c("const int *ix, const int *jx, const double *x, double *y", "y[i] = x[ix[jx[i]]];"), "x[ix[jx]]"),
    (_c("const int *r, const double A[n][m], double B[n][m]", "B[i][j] = A[r[i]][j];", NESTED), "A[r]"),
    (_c("const int *c, const double A[n][m], double B[n][m]", "B[i][j] = A[i][c[j]];", NESTED), "A[:, c]"),
    (_c("const int *c, const double A[n][m], double *y", "y[i] = A[i][c[i]];"), "A[np.arange(n), c]"),
    (_c("const int *r, const int *c, const double A[n][m], double *y", "y[i] = A[r[i]][c[i]];"), "A[r, c]"),
    ("double f(int n, const int *ix, const double *x) { return x[ix[0]]; }", "x[ix[0]]"),
    (
        """double f(int n, const double *a, const int *col, const double *x) {
             double s = 0; for (int k = 0; k < n; k++) s += a[k] * x[col[k]]; return s; }""",
        "a @ x[col]",
    ),
]


@pytest.mark.parametrize(("source", "expression"), CASES)
def test_a_read_is_a_subscript(source: str, expression: str) -> None:
    (function,) = lift(source).functions
    assert function.program.rstrip().endswith(f"return {expression}")
    assert function.verdict.value == "loop-free"
    assert all(trial.cases for trial in function.tests)


def test_pytorch_takes_bytes_for_a_mask_so_that_they_are_converted() -> None:
    assert "t[b.to(torch.int64)]" in lift(CASES[3][0], to="torch").source


def test_jax_takes_places_as_numpy_does() -> None:
    assert "return x[ix + 1]" in lift(CASES[1][0], to="jax").source


def refusal(source: str, to: str = "numpy") -> str:
    (function,) = lift(source, to=to).functions
    assert not function.program
    return function.diagnostics[0].message


@pytest.mark.parametrize("target", ["linalg", "c"])
def test_other_targets_have_no_such_reads(target: str) -> None:
    assert "x is read at a place that depends on data, for which there is no" in refusal(CASES[0][0], target)


CONDITION = "under a condition that depends on data"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("if (ix[i] >= 0) y[i] += x[ix[i]];", CONDITION),
        ("y[i] = ix[i] >= 0 ? x[ix[i]] : 0.0;", CONDITION),
        ("if (ix[i] >= 0 && x[ix[i]] > 0) y[i] = 1;", CONDITION),
        ("y[i] = y[ix[i]];", "depends on data, and `y` is also written"),
        ("y[ix[i]] = x[i];", "the subscript depends on data"),
        ("y[i] = *(x + ix[i]);", "the subscript depends on data"),
        ("{ double t[4]; for (int k = 0; k < 4; k++) t[k] = k; y[i] = t[ix[i]]; }", "is no array that is passed whole"),
    ],
)
def test_what_may_read_elsewhere_is_refused(statement: str, message: str) -> None:
    assert message in refusal(_c(IX, statement))
