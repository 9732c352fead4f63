"""Fortran of several files: modules that others define, `include`, and lines of the preprocessor."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.fortran.preprocess import preprocessed
from tensorlift.languages.fortran import read_fortran
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("fparser")
COMPILER = shutil.which("gfortran")

_FILES = {
    "kinds.F90": """module kinds
  implicit none
#ifdef SINGLE
  integer, parameter :: wp = kind(1.0)
#else
  integer, parameter :: wp = kind(1.0d0)
#endif
end module
""",
    "inc/fields.f90": """module fields
  use kinds
  implicit none
  private
  real(wp), public :: g = 9.81_wp
  real(wp) :: hidden(8)
  public :: touch
contains
  subroutine touch(x)
    real(wp), intent(inout) :: x(:)
    hidden(1) = hidden(1) + x(1)
    x = x*hidden(2)
  end subroutine
end module
""",
    "inc/sizes.inc": "  integer, intent(in) :: n\n  real(wp), intent(inout) :: x(n)\n",
    "main.F90": """#define SQ(a) ((a)*(a))
#if defined(FAST) && VERSION >= 2
# define SCALE 3
#else
# define SCALE 2
#endif
module solver
  use kinds, only: wp
  use fields
  implicit none
contains
  subroutine f(n, x)
    include 'sizes.inc'
    integer :: i
    do i = 1, n
      x(i) = SQ(x(i)) + 0.5_wp*g*SCALE
    end do
    call touch(x)
  end subroutine
end module
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in _FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(("defines", "scale"), [((), "2.0"), (("FAST", "VERSION=3", "SINGLE"), "3.0")])
def test_modules_of_other_files_are_found_and_compiled(project: Path, defines: tuple[str, ...], scale: str) -> None:
    options = LiftOptions(("f",), include_dirs=(str(project / "inc"),), defines=defines, test=COMPILER is not None)
    (function,) = lift_source(read_source(str(project / "main.F90")), options).functions
    assert function.lifted, function.diagnostics
    assert all(trial.passed for trial in function.tests)
    assert f"0.5 * g * {scale}" in function.program


def test_reals_without_a_kind_may_have_eight_bytes(tmp_path: Path) -> None:
    file = tmp_path / "f.f90"
    file.write_text("subroutine f(n, x)\n  integer n\n  real x(n)\n  x = x*0.1 + real(n)\nend subroutine\n")
    options = LiftOptions(std="default-real-8", test=COMPILER is not None)
    (function,) = lift_source(read_source(str(file)), options).functions
    assert function.lifted, function.diagnostics
    assert all(trial.passed for trial in function.tests)
    assert "float32" not in function.program


def test_lines_keep_their_places(project: Path) -> None:
    lines = preprocessed(_FILES["main.F90"], str(project / "main.F90"), (), [str(project / "inc")])
    assert [line.number for line in lines if "integer, intent(in)" in line.text] == [1]
    assert [line.number for line in lines if "((x(i))*(x(i)))" in line.text] == [16]


@pytest.mark.parametrize(
    ("text", "line"),
    [("#if A\nend\n", 3), ("x = 1\n#else\n", 2), ("#error no\n", 1), ("include 'none.inc'\n", 1), ("#if 1 +\n", 1)],
)
def test_what_the_preprocessor_does_not_take_is_told_by_its_line(text: str, line: int) -> None:
    with pytest.raises(LiftError) as raised:
        preprocessed(text, "f.f90", (), ())
    (found,) = raised.value.diagnostics
    assert (found.code, found.location.line if found.location else 0) == ("TL102", line)


_FREE = "subroutine f(n, x)\ninteger :: n\nreal :: x(n)\nx = 2*x %s1\nend\n"
_FIXED = "".join(f"      {line}\n" for line in (_FREE % "\n     &+ ").replace("::", "").splitlines()[:3])


@pytest.mark.parametrize(
    ("name", "text", "line", "help_"),
    [
        ("f.f", _FREE % "+", 1, "name the file `.f90`, which is read in free form"),
        (
            "f.f90",
            _FREE.replace("real ::", "for (;;) {\nreal ::") % "+",
            3,
            "correct the line; a compiler must accept it",
        ),
        ("f.f90", "c     doubles\n" + _FIXED, 1, "name the file `.f`, which is read in fixed form"),
        ("f.f", _FIXED + "      x = 2*x +\n      1\n      end\n", 4, "write `&` into column 6 of the next line"),
        (
            "f.f",
            _FIXED + f"      x = 2*(x{' ' * 60}+ 1)\n",
            4,
            "break the line, and write `&` into column 6 of the next one",
        ),
    ],
)
def test_a_line_of_another_form_is_told(name: str, text: str, line: int, help_: str) -> None:
    try:
        ((found, *_), *_) = [one.diagnostics for one in read_fortran(text, name)]
    except LiftError as error:
        (found,) = error.diagnostics
    assert (found.code, found.location.line if found.location else 0, found.remedy) == ("TL101", line, help_)


def test_names_of_a_module_that_is_nowhere_have_no_implicit_types() -> None:
    """`t` may be a variable of eight bytes there."""
    text = "subroutine f(n, x)\nuse other\nreal(8) :: x(n)\ndo i = 1, n\nt = x(i)/3\nx(i) = t\nend do\nend\n"
    (function,) = read_fortran(text, "f.f90")
    assert [(d.code, d.location.line if d.location else 0) for d in function.diagnostics] == [("TL102", 2)]


def test_external_procedures_are_found_in_files_of_their_names(tmp_path: Path) -> None:
    """The argument `g` of `other` is no such procedure; one that is not there does not change a flag."""
    (tmp_path / "twice.f").write_text(
        "      real function twice(x)\n      real x, half\n      twice = x/half(1.0)\n      end\n"
    )
    (tmp_path / "half.f90").write_text("real function half(x)\n  real :: x\n  half = x/2\nend\n")
    (tmp_path / "g.f90").write_text("real function g(x)\n  real :: x\n  g = x\nend\n")
    file = tmp_path / "f.f90"
    other = "subroutine other(n, x, g)\n  real :: x(n), g\n  x(1) = g(x(1))\nend\n"
    flag = "subroutine flag(u, n, x)\n  character :: u\n  real :: x(n)\n  if (u == 'U') x = 0\n  call lost(u, x)\nend\n"
    file.write_text(
        "subroutine f(n, x)\n  real :: x(n)\n  do i = 1, n\n    x(i) = twice(x(i))\n  end do\nend\n" + other + flag
    )
    f, refused, lost = lift_source(read_source(str(file)), LiftOptions(test=COMPILER is not None)).functions
    assert f.lifted, f.diagnostics
    assert all(trial.passed for trial in f.tests)
    assert [d.code for d in refused.diagnostics] == ["TL141"]
    assert [d.message for d in lost.diagnostics] == ["`lost` is not known"]


def test_a_procedure_that_does_not_parse_refuses_no_other_one_of_its_module() -> None:
    broken = "subroutine broken(x)\nreal :: x(:)\nx = 2*(x\nend subroutine\n"
    text = f"module m\ncontains\n{broken}subroutine f(x)\nreal :: x(:)\nx = 2*x\nend subroutine\nend module\n"
    wrong, right = read_fortran(text, "f.f90")
    assert [(d.code, d.location.line if d.location else 0) for d in wrong.diagnostics] == [("TL101", 5)]
    assert right.diagnostics == ()
    (wrong, right) = read_fortran(text.replace("x = 2*x\n", "call broken(x)\n"), "f.f90")
    assert wrong.diagnostics == right.diagnostics


def test_the_extent_one_is_open_where_programs_go_further() -> None:
    text = "      subroutine f(n, x)\n      real*8 x(1)\n      do 10 i = 1, n\n   10 x(i) = 2*x(i)\n      end\n"
    (function,) = lift_source(source_from_text(text, "f.f"), LiftOptions(test=COMPILER is not None)).functions
    assert (function.verdict, [p.text for p in function.preconditions]) == ("loop-free", ["n >= 0"])
    assert all(trial.passed for trial in function.tests)
