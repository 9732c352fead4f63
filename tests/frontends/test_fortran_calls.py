"""Calls in Fortran: names of several procedures, matrices where BLAS walks along rows, and extremes of sizes."""

from __future__ import annotations

import shutil

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

pytest.importorskip("fparser")
_compiled = pytest.mark.skipif(shutil.which("gfortran") is None, reason="needs gfortran")

_GENERIC = """module shapes
  implicit none
  type point
    real(8) :: x, y
  end type
  interface norm
    module procedure norm_s, norm_v, norm_m, norm_point
  end interface
  interface abs
    procedure norm_point
  end interface
  real(8), parameter, private :: half = 0.5d0
  real(8), parameter :: least = 2.0d0**floor(-half), most = least + sin(half)
contains
  elemental real(8) function norm_s(a)
    real(8), intent(in) :: a
    norm_s = abs(a)
  end function
  real(8) function norm_v(a)
    real(8), intent(in) :: a(:)
    norm_v = sqrt(sum(a**2))
  end function
  real(8) function norm_m(a, times)
    real(8), intent(in) :: a(:,:)
    integer, intent(in), optional :: times
    norm_m = maxval(abs(a))
    if (present(times)) norm_m = norm_m*times
  end function
  real(8) function norm_point(a)
    type(point), intent(in) :: a
    norm_point = a%x**2 + a%y**2
  end function
end module
subroutine f(a, b, x, y, r)
  use shapes, only: norm, abs, point, bound => most
  real(8), intent(in) :: a(2,3), b(4), x, y
  real(8), intent(out) :: r(6)
  real(8) :: half = 7
  type(point) :: p
  p%x = x
  p%y = y
  r = [norm(a), norm(b), norm(b(1) + 1), norm(a(:,1)), norm(a, times=2), norm(p)]
  r(6) = r(6) + abs(p) + abs(r(1)) + bound
end subroutine
"""


@_compiled
def test_a_name_of_several_procedures_is_the_one_that_its_arguments_fit() -> None:
    (function,) = lift_source(source_from_text(_GENERIC, "f.f90"), LiftOptions(("f",), test=True)).functions
    assert function.lifted, function.diagnostics
    assert [trial.failure for trial in function.tests] == ["", ""]


@_compiled
@pytest.mark.parametrize("asked", ["min(n, m) == 0", "max(-n, -m) >= 0", "min(n, m, 5) < 1"])
def test_extremes_of_sizes_are_compared_as_what_they_are(asked: str) -> None:
    text = f"real(8) function f(n, m, a)\nreal(8) :: a(n,m)\nf = 0\nif ({asked}) return\nf = a(1,1)\nend\n"
    (function,) = lift_source(source_from_text(text, "f.f90"), LiftOptions(test=True)).functions
    assert function.lifted, function.diagnostics
    assert [trial.failure for trial in function.tests] == ["", ""]


def test_a_whole_matrix_is_its_first_row_to_blas_that_walks_along_rows() -> None:
    calls = "call dscal(m, 2d0, a, n)\ncall dscal(m, 2d0, b(1,1), n)\n"
    text = f"subroutine f(n, m, a, b)\nreal(8) :: a(n,m), b(n,m)\n{calls}end\n"
    (function,) = lift_source(source_from_text(text, "f.f90"), LiftOptions()).functions
    assert function.program.count("[0] = 2.0 *") == 2


@_compiled
def test_what_lapack_asks_of_the_machine_are_numbers() -> None:
    asked = ("E", "safe minimum", "Base", "p", "N", "R", "Min", "u", "L", "Overflow")
    named = [f"{kind}lamch('{one}')" for kind in "ds" for one in asked]
    sets = "".join(f"a({at}) = {call}\n" for at, call in enumerate(named, 1))
    text = f"subroutine f(a)\nreal(8) :: a(20), dlamch\nreal :: slamch\n{sets}end\n"
    (function,) = lift_source(source_from_text(text, "f.f90"), LiftOptions(test=True)).functions
    assert function.lifted, function.diagnostics
    assert [trial.failure for trial in function.tests] == ["", ""]
    assert "2.2250738585072014e-308" in function.program


_SETS = """subroutine f(n, x, flag, more)
  integer :: n, i
  real(8) :: x(n)
  character :: flag, more
  if (n > 2) flag = more
  do i = 1, n
    if (x(i) < 0) flag = 'Yes'
    x(i) = abs(x(i))
  end do
end subroutine
"""


@_compiled
def test_a_character_that_is_set_is_the_code_of_its_first_one() -> None:
    (function,) = lift_source(source_from_text(_SETS, "f.f90"), LiftOptions(test=True)).functions
    assert function.lifted, function.diagnostics
    assert [trial.failure for trial in function.tests] == ["", ""]


def test_a_text_of_open_length_is_not_set() -> None:
    text = _SETS.replace("flag, more\n", "flag\n  character(*) :: more\n").replace("flag = more", "more = 'N'")
    (function,) = lift_source(source_from_text(text, "f.f90"), LiftOptions()).functions
    assert [diagnostic.code for diagnostic in function.diagnostics] == ["TL145"]
