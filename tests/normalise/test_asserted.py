"""A flag that is asserted to be a constant is one; what is asserted otherwise, or used otherwise, stays what it is."""

from __future__ import annotations

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import FunctionRecord, Level
from tensorlift.source import source_from_text

_FLAGS = """#include <assert.h>
void apply(int order, int trans, int m, int n, const double *a, int lda, const double *x, double *y) {
  %s
  int turned = trans != 113 ? trans : 112;
  if ((order == 101 && turned == 111) || (order == 102 && turned == 112)) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) y[i] += a[lda * i + j] * x[j];
  } else {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) y[i] += a[lda * j + i] * x[j];
  }
}
"""
_ALONE, _TURNED = "return y + a @ x", "return y + a.T @ x"
_FORTRAN = """subroutine apply(trans, m, n, a, x, y)
  integer, intent(in) :: trans, m, n
  real(8), intent(in) :: a(m, n), x(n)
  real(8), intent(inout) :: y(m)
  integer :: i, j
  if (trans /= 1) stop 'other cases are elsewhere'
  do j = 1, n
    do i = 1, m
      if (trans == 1) y(i) = y(i) + a(i, j) * x(j)
      if (trans == 2) y(j) = y(j) + a(i, j) * x(i)
    end do
  end do
end subroutine
"""
_PYTHON = """import numpy as np
def apply(trans: int, a: np.ndarray, x: np.ndarray, y: np.ndarray):
    assert trans == 1
    m, n = a.shape
    for i in range(m):
        for j in range(n):
            y[i] += (a[i, j] if trans == 1 else a[j, i]) * x[j]
"""


def _lifted(text: str, name: str = "") -> FunctionRecord:
    (function,) = lift_source(source_from_text(text, name or "apply.c"), LiftOptions(test=True)).functions
    return function


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("assert(order == 101 && trans == 111);", _ALONE),
        ("assert(order == 101); assert(trans == 111);", _ALONE),
        ("if (order != 102 || trans != 113) __builtin_abort();", _ALONE),
        ("if (!(order == 102)) __builtin_abort(); assert(111 == trans);", _TURNED),
        ("assert(order == 101 && trans == 113);", _TURNED),
    ],
)
def test_one_case_is_lifted_alone(stated: str, expected: str) -> None:
    function = _lifted(_FLAGS % stated)
    assert expected in function.program
    assert (function.level, function.definitions) == (Level.PROVED, Level.PROVED)
    assert {"order", "trans"} <= {p.text.split()[0] for p in function.preconditions}


@pytest.mark.parametrize(("text", "name"), [(_FORTRAN, "apply.f90"), (_PYTHON, "apply.py")])
def test_so_it_is_in_every_language(text: str, name: str) -> None:
    function = _lifted(text, name)
    assert _ALONE in function.program
    assert "trans == 1" in {p.text for p in function.preconditions}


_LOOP = "for (int i = 0; i < n; i++)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"if (mode != 1) return; {_LOOP} y[i] = mode == 1 ? x[i] : 2 * x[i];", "    return np.copy(y)"),
        (f"assert(mode == 1 || mode == 2); {_LOOP} y[i] = mode == 1 ? x[i] : 2 * x[i];", "if mode == 2:"),
        (f"assert(mode == 1); mode = 2; {_LOOP} y[i] = mode == 1 ? x[i] : 2 * x[i];", "return 2.0 * x"),
        (f"assert(n == 8); {_LOOP} y[i] = x[i];", "return x.copy()"),
    ],
)
def test_nothing_else_is_taken_for_a_constant(body: str, expected: str) -> None:
    text = f"#include <assert.h>\nvoid f(int mode, int n, const double *x, double *y) {{ {body} }}\n"
    assert expected in _lifted(text).program


def test_each_check_of_several_keeps_all_that_it_asks_for() -> None:
    text = """extern void tell(int place);
void f(int n, int k, int lda, int ldb, const double *a, const double *b, double *c) {
  int wrong = 0;
  if (lda < (1 > k ? 1 : k)) wrong = 8; else if (ldb < (1 > k ? 1 : k)) wrong = 10;
  if (wrong != 0) { tell(wrong); return; }
  for (int i = 0; i < n; i++) { c[i] = 0; for (int l = 0; l < k; l++) c[i] += a[i*lda + l]*b[i*ldb + l]; }
}
"""
    function = _lifted(text)
    assert {"lda >= 1", "ldb >= 1", "k <= lda", "k <= ldb"} <= {p.text for p in function.preconditions}
    assert function.definitions is Level.PROVED


def test_a_flag_cannot_be_two_constants() -> None:
    text = "#include <assert.h>\nvoid f(int mode, int n, double *y)"
    function = _lifted(f"{text} {{ assert(mode == 1); assert(mode == 2); {_LOOP} y[i] = mode == 1; }}\n")
    assert not function.lifted


_ARGUMENTS = """#include <assert.h>
void error(int where, const char *text, ...);
void apply(int order, int trans, int m, int n, const double *a, int lda, const double *x, double *y) {
  assert(order == 101 && trans == 111);
  int pos = 0, turned = trans != 113 ? trans : 112;
  if (order == 101) {
    if (turned == 111) { if (lda < (n > 1 ? n : 1)) pos = 6; }
    else { if (lda < (m > 1 ? m : 1)) pos = 6; }
  } else if (lda < (m > 1 ? m : 1)) pos = 6;
  if (pos) error(pos, "apply", "");
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) y[i] += a[lda * i + j] * x[j];
}
"""


def test_what_other_cases_check_of_arguments_is_not_asked() -> None:
    function = _lifted(_ARGUMENTS)
    assert _ALONE in function.program
    assert "m <= lda" not in {p.text for p in function.preconditions}
