"""Reads at places that depend on data are spelled as NumPy subscripts, which other libraries have too."""

from __future__ import annotations

import pytest
from tests.lifts import lifted_text

from tensorlift import lift
from tensorlift.record import Verdict


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


BEST = """
double f(int n, int m, const double gain[n][m], const double cut[n][m]) {
    double best = 0, at = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (gain[i][j] > best) { best = gain[i][j]; at = cut[i][j]; }
    return at;
}"""


def test_a_place_in_the_row_at_another_place_is_computed_for_each_row() -> None:
    function = lifted_text(BEST)
    assert "cut[np.arange(n), gain.argmax(axis=1)][gain.max(axis=1).argmax()]" in " ".join(
        function.program.split()
    ).replace("[ ", "[").replace(" ]", "]")
    assert str(function.level) == "proved"


@pytest.mark.parametrize("target", ["stablehlo", "linalg"])
def test_rows_that_may_be_empty_have_no_such_place(target: str) -> None:
    assert str(lifted_text(BEST, target).verdict) == "hybrid"


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


CONDITIONAL = [
    ("y[i] = ix[i] >= 0 ? x[ix[i]] : 0.0;", "np.where(mask, x[np.where(mask, ix, 0)], 0.0)"),
    ("if (ix[i] < 0) y[i] = -1; else y[i] = x[ix[i]];", "np.where(mask, -1.0, x[np.where(mask, 0, ix)])"),
    ("if (ix[i] >= 0 && x[ix[i]] > 0) y[i] = 1;", "x[np.where(mask, ix, 0)] > 0.0"),
    ("y[i] = i > 2 ? x[ix[i]] : 0.0;", "x[ix[3:]]"),
    ("{ int j = ix[i]; if (j >= 0) y[i] = x[j]; }", "np.where(mask, x[np.where(mask, ix, 0)], y)"),
]


@pytest.mark.parametrize(("statement", "expression"), CONDITIONAL)
def test_a_read_under_a_condition_is_at_the_first_place_elsewhere(statement: str, expression: str) -> None:
    (function,) = lift(_c(IX, statement)).functions
    assert expression in function.program
    assert function.verdict.value == "loop-free"


def test_what_is_read_under_a_condition_may_be_outside_elsewhere() -> None:
    (function,) = lift(_c(IX, CONDITIONAL[0][0])).functions
    assert "every place at which x is read is inside of it" in [p.text for p in function.preconditions]


COUNTED = """void f(int n, const int *c, const double *a, const double *b, double *y) {
  int i = 0, j = 0; for (int k = 0; k < n; k++) if (c[k]) y[k] = a[i++]; else y[k] = b[j++]; }"""


def test_a_counter_that_some_iterations_move_is_a_place() -> None:
    (function,) = lift(COUNTED).functions
    assert "a[np.where(mask, np.cumsum(t, dtype=np.int32) - t, 0)]" in function.program
    assert str(function.level) == "proved"


SPARSE = "const double *a, const int *col, const double *x, double *y"
SPARSE_ROW = "{{ double s = 0; for (int k = 0; k < m; k++) {{ {} }} y[i] = s; }}"
HELD = [
    (IX, "{ int j = ix[i]; y[i] = x[j]; }", "y[i] = x[ix[i]];"),
    (IX, "{ int j; j = ix[i]; y[i] = x[j]; }", "y[i] = x[ix[i]];"),
    (IX, "{ unsigned long j = ix[i]; y[i] = x[j]; }", "y[i] = x[ix[i]];"),
    (IX, "{ unsigned char j = ix[i]; y[i] = x[j]; }", "y[i] = x[(unsigned char)ix[i]];"),
    (IX, "{ int j = ix[i]; y[i] = x[j] - x[j + 1]; }", "y[i] = x[ix[i]] - x[ix[i] + 1];"),
    (IX, "{ int j = ix[i]; int k = j + 1; j++; y[i] = x[j] + 2 * x[k]; }", "y[i] = x[ix[i] + 1] + 2 * x[ix[i] + 1];"),
    (IX, "{ int j = ix[i]; y[i] = x[j]; j = ix[i] + 1; y[i] -= x[j]; }", "y[i] = x[ix[i]] - x[ix[i] + 1];"),
    (IX, "{ int j = ix[i]; double t = x[j]; j = i; y[i] = t - x[j]; }", "y[i] = x[ix[i]] - x[i];"),
    (IX, "{ int j = ix[i] < 0 ? 0 : ix[i]; y[i] = x[j]; }", "y[i] = x[ix[i] < 0 ? 0 : ix[i]];"),
    (
        "const unsigned char *b, const float *t, float *y",
        "{ const unsigned char c = b[i]; y[i] = t[c]; }",
        "y[i] = t[b[i]];",
    ),
    (
        "const int *r, const double A[n][m], double *y",
        "{ int row = r[i]; double s = 0; for (int k = 0; k < m; k++) s += A[row][k]; y[i] = s; }",
        "{ double s = 0; for (int k = 0; k < m; k++) s += A[r[i]][k]; y[i] = s; }",
    ),
    (
        SPARSE,
        SPARSE_ROW.format("int c = col[k]; s += a[k] * x[c];"),
        SPARSE_ROW.format("s += a[k] * x[col[k]];"),
    ),
]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("parameters", "held", "inline"), HELD)
def test_a_local_that_holds_a_place_is_read_as_what_it_holds(parameters: str, held: str, inline: str) -> None:
    (mine,), (wanted,) = (lift(_c(parameters, text)).functions for text in (held, inline))
    assert mine.program == wanted.program
    assert [p.text for p in mine.preconditions] == [p.text for p in wanted.preconditions]
    assert mine.verdict.value == "loop-free"


def test_a_parameter_of_a_helper_may_hold_a_place() -> None:
    source = "static double at(const double *x, int j) { j++; return x[j]; }\n" + _c(
        IX, "y[i] = at(x, ix[i]) - at(x, i);"
    )
    function = lift(source).functions[-1]
    assert function.program.rstrip().endswith("return x[ix + 1] - x[1 : n + 1]")


def test_a_place_that_is_held_is_the_one_before_a_write() -> None:
    source = _c("int *ix, const double *x, double *y", "{ int j = ix[i]; ix[i] = j + 1; y[i] = x[j]; }")
    (function,) = lift(source).functions
    assert "y = x[ix]\n    ix = ix + 1" in function.program


@pytest.mark.parametrize(
    ("statement", "returned"),
    [
        ("y[i] = *(x + ix[i]);", "x[ix]"),
        ("{ const double *p = x + ix[i]; y[i] = *p; }", "x[ix]"),
        ("{ int j = ix[i]; if (j < 0) j = 0; y[i] = x[j]; }", "x[np.maximum(0, ix)]"),
        ("{ int j = 0; if (i > 3) j = ix[i]; y[i] = x[j]; }", "x[np.where(np.arange(n) >= 4, ix, 0)]"),
    ],
)
def test_a_place_is_followed_through_pointers_and_branches_on_sizes(statement: str, returned: str) -> None:
    (function,) = lift(_c(IX, statement)).functions
    assert function.program.rstrip().endswith(f"return {returned}")
    assert any("inside" in p.text or "ix <" in p.text for p in function.preconditions)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "{ int j = ix[i]; for (int k = 0; k < j; k++) y[i] += x[k]; y[i] += x[j]; }",
            "a loop goes over places between bounds that depend on data",
        ),
    ],
)
def test_a_local_that_holds_data_is_refused_where_no_place_is_read_in_any_case(statement: str, message: str) -> None:
    assert message in refusal(_c(IX, statement))


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("y[i] = x[j]; j = ix[j];", Verdict.UNCHANGED),
        ("y[i] = x[j]; j += ix[i];", Verdict.SCAN),
        ("y[i] = x[j++];", Verdict.LOOP_FREE),
    ],
)
def test_a_place_may_be_what_an_iteration_hands_to_the_next(body: str, verdict: Verdict) -> None:
    source = _c(IX, "", f"int j = ix[0]; for (int i = 0; i < n; i++) {{ {body} }}")
    (function,) = lift(source, test=True).functions
    assert function.verdict is verdict, function.diagnostics
    assert "every place at which x is read is inside of it" in [p.text for p in function.preconditions]


def test_what_is_picked_by_the_row_of_an_extreme_among_every_other_row_keeps_the_loop_over_rows() -> None:
    function = lifted_text("""void darkest(int h, int w, const double a[h][w], int at[2]) {
      double least = a[0][0];
      int y = 0, x = 0;
      for (int i = 0; i < h; i += 2)
        for (int j = 0; j < w; j += 2)
          if (a[i][j] < least) { least = a[i][j]; y = i; x = j; }
      at[0] = y;
      at[1] = x;
    }""")
    assert (str(function.verdict), str(function.level)) == ("hybrid", "proved")


_PACKED = """
void f(int n, const double *ap, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j <= i; j++) s += ap[i * (i + 1) / 2 + j] * x[j];
    y[i] = s;
  }
}"""
_COLUMNS = """
void f(int n, const double *ap, const double *x, double *y) {
  int k = 0;
  for (int j = 1; j <= n; j++) {
    for (int i = 0; i < j; i++) y[i] += x[j - 1] * ap[k + i];
    k += j;
  }
}"""


@pytest.mark.parametrize(("source", "verdict"), [(_PACKED, Verdict.LOOP_FREE), (_COLUMNS, Verdict.SCAN)])
def test_a_sum_over_a_triangle_reads_nothing_outside_of_it(source: str, verdict: Verdict) -> None:
    """Packed matrices of BLAS; a loop may count from one."""
    function = lifted_text(source)
    assert function.verdict is verdict
    assert str(function.level) == "proved"
    assert "np.where(" in function.program
