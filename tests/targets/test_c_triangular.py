"""Products of triangular matrices in programs in C are calls of ``trmm``, from both sides, in place and elsewhere."""

from __future__ import annotations

from itertools import product

import pytest
from tests.shared import in_pairs
from tests.targets.tampering import refusal

from tensorlift import lift


def _source(side: str, half: str, trans: str, diagonal: str) -> str:
    """Return loops that multiply B in place by a triangle of A."""
    is_upper = (half == "Upper") != (trans == "Trans")
    rows, columns = ("i", "m") if side == "Left" else ("j", "n")
    cell = f"[{rows}][k]" if (trans == "NoTrans") == (side == "Left") else f"[k][{rows}]"
    rises = is_upper == (side == "Left")
    over = f"{rows} = 0; {rows} < {columns}; {rows}++" if rises else f"{rows} = {columns} - 1; {rows} >= 0; {rows}--"
    inside = f"k = {rows} + 1; k < {columns}; k++" if rises else f"k = 0; k < {rows}; k++"
    own = f"B[i][j] *= A[{rows}][{rows}];" if diagonal == "NonUnit" else ""
    read = "B[k][j]" if side == "Left" else "B[i][k]"
    body = f"{{ {own} for (int {inside}) B[i][j] += {read} * A{cell}; }}"
    if side == "Left":
        loops = f"for (int {over}) for (int j = 0; j < n; j++) {body}"
    else:
        loops = f"for (int i = 0; i < m; i++) for (int {over}) {body}"
    return f"void f(int m, int n, double A[{columns}][{columns}], double B[m][n]) {{ {loops} }}\n"


LOWER = """void f(int m, int n, float a, float A[m][m], float B[m][n], float C[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0;
      for (int k = 0; k <= i; k++) C[i][j] += a * A[i][k] * B[k][j];
    }
}
"""
UPPER = """void f(int m, int n, double A[n][n], double B[m][n], double C[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = B[i][j];
      for (int k = 0; k < j; k++) C[i][j] += B[i][k] * A[k][j];
    }
}
"""


_FLAGS = (("Left", "Right"), ("Lower", "Upper"), ("NoTrans", "Trans"), ("NonUnit", "Unit"))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("side", "half", "trans", "diagonal"), in_pairs(product(*_FLAGS)))
def test_a_product_in_place_is_a_call(side: str, half: str, trans: str, diagonal: str) -> None:
    lifted = lift(_source(side, half, trans, diagonal), to="c", test=True)
    extent = "m" if side == "Left" else "n"
    flags = f"Cblas{side}, Cblas{half}, Cblas{trans}, Cblas{diagonal}"
    call = f"cblas_dtrmm(CblasRowMajor, {flags}, m, n, 1.0, &A[0][0], {extent}, &B[0][0], n);"
    assert call in lifted.source, lifted.source
    assert lifted.functions[0].level == "proved"


@pytest.mark.parametrize(
    ("source", "call"),
    [
        (
            LOWER,
            "strmm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, n, a, &A[0][0], m, &C[0][0]",
        ),
        (
            UPPER,
            "dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasUnit, m, n, 1.0, &A[0][0], n, &C[0][0]",
        ),
    ],
)
def test_a_product_elsewhere_is_a_copy_and_a_call(source: str, call: str) -> None:
    lifted = lift(source, to="c", test=True)
    assert "C[i][j] = B[i][j];" in lifted.source
    assert call in " ".join(lifted.source.split())
    assert lifted.functions[0].level == "proved"


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (LOWER, "CblasLower", "CblasUpper"),
        (LOWER, "CblasLeft", "CblasRight"),
        (LOWER, "C[i][j] = B[i][j]", "C[i][j] = A[i][j]"),
        (UPPER, "CblasUnit", "CblasNonUnit"),
        (UPPER, "CblasNoTrans", "CblasTrans"),
        (UPPER, "1.0, &A", "2.0, &A"),
    ],
)
def test_a_wrong_call_is_refused(source: str, old: str, new: str) -> None:
    assert refusal(source, (old, new))


@pytest.mark.parametrize(
    "source",
    [
        LOWER.replace("k <= i", "k < i"),
        UPPER.replace("k < j", "k <= j"),
        LOWER.replace("C[i][j] = 0", "C[i][j] *= 2"),
        LOWER.replace("a * A", "B[i][k] * A"),
    ],
)
def test_what_is_no_such_product_is_no_such_call(source: str) -> None:
    lifted = lift(source, to="c")
    assert "trmm" not in lifted.source
    assert lifted.functions[0].level == "proved"
