"""What Fortran means is read as gfortran has it: kinds, rounding, loops, bounds; bad input is told by its line."""

from __future__ import annotations

import shutil

import pytest
from bench.fuzz_fortran import run

from tensorlift.diagnostics import LiftError
from tensorlift.languages.fortran import read_fortran
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

pytest.importorskip("fparser")
COMPILER = shutil.which("gfortran")
_compiled = pytest.mark.skipif(COMPILER is None, reason="no gfortran on the search path")

# Bodies of `subroutine f(n, k, x, y, r, m)`, with what they show.
MEANINGS = {
    "integers are divided towards zero": "m = (-7)/2 + k/(-3)",
    "mod has the sign of the dividend, modulo of the divisor": "m = mod(-7, 3)*100 + modulo(-7, 3)*10 + modulo(k, -4)",
    "a constant without a kind is single": "r = 0.1 + x(1)*0.1d0",
    "nint rounds halves away from zero, int towards it": "m = nint(-2.5) + int(-2.7d0) + 9*nint(x(1)) + floor(y(1))",
    "integers are raised by multiplications": "m = k**2 + (-1)**k + 3*2**3\nr = x(1)**3 + x(1)**(-2)",
    "a loop without iterations leaves its first value": "do i = 3, k\nr = r + i\nend do\nm = m + i",
    "the variable of a loop is past its end": "do i = 1, n, 2\nx(i) = 0\nend do\nm = i",
    "a loop may go down": "do i = n, 2, -1\nx(i) = x(i-1)\nend do\nm = i",
    "bounds are those before the loop": "j = n\ndo i = 1, j\nj = 1\nx(i) = i\nend do\nm = j",
    "labels share a last statement": "do 10 i = 1, n\ndo 10 j = 1, 2\n10 x(i) = x(i) + j",
    "cycle and exit name their loop": (
        "outer: do i = 1, n\ndo j = 1, n\nif (j > i) cycle outer\nx(i) = x(i) + j\nend do\nend do outer"
    ),
    "a goto may skip statements": "if (k > 0) goto 20\nm = 1\ngoto 30\n20 m = 2\n30 continue",
    "an arithmetic if has three ways": "if (k) 1, 2, 3\n1 m = -1\ngoto 4\n2 m = 0\ngoto 4\n3 m = 1\n4 continue",
    "sections that overlap are read before they are written": "x(2:n) = x(1:n-1) + 1",
    "a section may run backwards": "x(n:1:-1) = 2*x(1:n)",
    "masks are computed before what they govern": (
        "where (x > 0.5d0)\nx = 0\nelsewhere (x < 0)\nx = -x\nelsewhere\nx = x + x(1)\nend where"
    ),
    "a scalar of a whole assignment is read once": "x = x/x(1)",
    "forall assigns for all values": "forall (i = 1:n, y(i) > 0) x(i) = y(i)*i",
    "a sum over nothing is zero": "r = sum(x(3:2)) + product(x(3:2)) + maxval(y(3:2))*0",
    "the greatest of nothing is the least number": "r = maxval(x(3:n))",
    "merge, sign and dim take both operands": "r = merge(x(1), y(1), k > 2) + sign(2.0, -0.5) + dim(x(1), y(1))",
    "powers of constants are rounded once": "m = count([0.027d0] > (0.3d0)**3)\nr = (0.1d0)**7 + (0.7)**(-5)",
    "kinds are mixed": "r = real(k) + k/2 + real(y(1), 4)\nm = int(x(1) + 1.5, 8)",
    "an argument may be an expression": "r = twice(x(1) + 1) + twice(y(2))\ncall bump(m)\ncall bump(m)",
    "elements are passed as places": "if (n > 1) call scale(n - 1, x(2))",
    "an array of nothing may begin beyond the end": "call scale(n - 1, x(2))",
    "a statement function is its expression": "twice2(a) = k*a + n\nr = twice2(y(1)) + twice2(2.0d0)",
    "what is passed by value is a copy": "m = 5\nr = halved(m) + m",
    "a section is passed with its steps": "call scale(n/2, x(1:n:2))",
    "implied loops list values": (
        "x = [(j*2.0d0, j = 1, n)] + sum([1.5d0, x(1), y(:)])\nm = sum([3, (j, j*j, j = 1, 4)])"
    ),
    "reshape goes by columns": (
        "block\ninteger, parameter :: w(2, 2) = reshape([1, 2, 3, 4], [2, 2])\nm = w(2, 1)*k + 10*w(1, 2)\nend block"
    ),
    "eoshift and cshift move": "x = eoshift(x, 1) + eoshift(y, -1, 3.0d0) + cshift(x, k)",
    "what a mask packs is dense": "r = sum(pack(x, x > y))\nm = size(pack(x, x > y))",
    "the first place of an extreme has the least last subscript": (
        "m = sum([1, 10]*maxloc(nint(4*spread(x, 2, n) + 4*spread(y(:n), 1, n))))"
    ),
    "complex numbers have exponentials and logarithms": (
        "r = abs(exp(cmplx(x(1), y(1), 8)) + log((-1d0, 2d0)) + cdexp(cmplx(0d0, x(2), 8))) + aimag(log((-2.0, -0.5)))"
    ),
    "places of extremes may be masked": "m = sum(maxloc(x)) + 10*minloc(x, 1, x > y) + 100*maxloc(y, dim=1)",
    "extremes may be masked": "r = minval(x, mask=x > 0) + maxval(y, x > 0.25d0)",
    "subscripts may be vectors": "x([1, n]) = x([n, 1]) + 1\nm = size(x([1, 1, 1]))",
    "a block has names of its own": (
        "i = 5\nblock\ninteger :: i\nreal(8) :: t(n)\ni = 2\nt = i*x\nx = t(1)\nend block\nm = i"
    ),
    "associate names sections and values": (
        "associate (z => x(n:1:-1), s => x(1) + 1, q => x(1))\nz(1) = 2\nq = q + s\nz = z + s\nend associate"
    ),
    "what is allocated may have a source": (
        "block\nreal(8), allocatable :: t(:)\nallocate(t(0:n + 1), source=0.5d0)\nt(1:n) = x\n"
        "x = t(0:n - 1) + t(2:n + 1)\nend block"
    ),
    "what is allocated in a branch is so there": (
        "block\nreal(8), allocatable :: t(:)\nif (allocated(t)) deallocate(t)\nif (k > 2) then\nallocate(t(n))\n"
        "t = 2*x\nx = t\ndeallocate(t)\nelse\nallocate(t(0:n))\nt = 1\nx = x + t(1:n)\nend if\nend block"
    ),
    "characters have codes": "m = ichar('Z') - iachar('a')",
    "inquiries about types are constants": "m = radix(r) + digits(1.0) + minexponent(r)\nr = 2d0**(-3)",
    "data that nothing writes are constants": "data a /2.5d0/\nr = a*y(1)",
    "what a call reaches by two names is one place": (
        "call grow(x, x(1))\ncall add(r)\ncall grow(x, (x(n)))\ncall sum_up(x, (x))\ncall next(m, m)"
    ),
    "dim of integers is what is left, or zero": "m = dim(k, 2) + 10*dim(2, k)",
    "bits are shifted, set and asked for": (
        "m = ishft(k, 3) + ieor(ishft(-k, -29), not(k)) + shifta(-9, 2) + shiftr(k, 32) + ibits(-k, 3, 4)\n"
        "if (btest(k, 1) .neqv. btest(k, iand(k, 3))) m = ibclr(ibset(m, 31), pos=2)"
    ),
    "minval and count take masks": "m = minval([3, 1, 2]) + count(x > 0.5d0)",
}
_CONTAINED = """contains
  real(8) function twice(z)
    real(8), intent(in) :: z
    twice = 2*z
  end function
  real(8) function halved(c)
    integer, value :: c
    c = c/2
    halved = c
  end function
  subroutine bump(c)
    integer, intent(inout) :: c
    c = c + 1
  end subroutine
  subroutine grow(z, c)
    real(8), intent(inout) :: z(:)
    real(8), intent(in) :: c
    integer :: i
    do i = 1, size(z)
      z(i) = z(i)*c
    end do
  end subroutine
  subroutine sum_up(z, w)
    real(8), intent(inout) :: z(:)
    real(8), intent(in) :: w(:)
    integer :: i
    do i = 1, size(z)
      z(i) = z(i) + w(size(z) + 1 - i)
    end do
  end subroutine
  subroutine add(c)
    real(8), intent(in) :: c
    r = r + 1
    x(1) = c
  end subroutine
  subroutine next(a, b)
    integer, intent(inout) :: a
    integer, intent(in) :: b
    a = a + k
    x(1) = b
  end subroutine
  subroutine scale(n, z)
    integer, intent(in) :: n
    real(8), intent(inout) :: z(n)
    z = 3*z
  end subroutine
"""


def _source(body: str) -> str:
    head = "subroutine f(n, k, x, y, r, m)\n  implicit none\n  integer, intent(in) :: n, k\n"
    declared = "  real(8), intent(inout) :: x(n)\n  real(8), intent(in) :: y(n)\n  real(8), intent(out) :: r\n"
    rest = "  integer, intent(out) :: m\n  integer :: i, j\n  real(8) :: twice2, a\n"
    first, _, others = body.partition("\n")
    begun = "r = 0\nm = 0\ni = 0\nj = 0\n"
    text = f"{first}\n{begun}{others}" if first.startswith(("twice2(", "data ")) else f"{begun}{body}"
    return f"{head}{declared}{rest}{text}\n{_CONTAINED}end subroutine\n"


@_compiled
@pytest.mark.in_turns(6)
@pytest.mark.parametrize("meaning", MEANINGS)
def test_is_read_as_gfortran_computes(meaning: str) -> None:
    source = source_from_text(_source(MEANINGS[meaning]), "f.f90")
    (function,) = lift_source(source, LiftOptions(("f",), test=True)).functions
    assert function.lifted, function.diagnostics
    assert [trial.failure for trial in function.tests] == ["", ""]


@_compiled
@pytest.mark.in_turns(4)
@pytest.mark.parametrize("seed", range(8))
def test_random_procedures_are_as_gfortran_has_them(seed: int) -> None:
    assert not run(seed).fault


REFUSED = {
    "subroutine f(x)\n  real :: x\n  call g('No')\ncontains\n  subroutine g(c)\n    character(*) :: c\n"
    "    if (c == 'N') x = 1\n  end subroutine\nend\n": ("TL145", 3),
    "subroutine f(x)\n  complex :: x(3)\n  x%re = 1\nend\n": ("TL156", 3),
    "subroutine f(x)\n  real :: x(3)\n  x(1)%y = 1\nend\n": ("TL156", 3),
    "real function f(x)\n  real :: x(3)\n  real, external :: norm2\n  f = norm2(x)\nend\n": ("TL150", 4),
    "real function f(x)\n  real :: x(3)\n  interface\n    real function sum(x)\n      real :: x(3)\n    end function\n"
    "  end interface\n  f = sum(x)\nend\n": ("TL150", 8),
    "subroutine f(n, x)\n  real :: x(n)\n  real, allocatable :: t(:)\n  if (n > 3) allocate(t(n))\n  t = x\nend\n": (
        "TL151",
        5,
    ),
    "subroutine f(x)\n  real :: x\n  x = 1\nend subroutine g\n": ("TL101", 4),
    "subroutine f(n)\n  if (n > 1) goto 1\n  n = 1\n1 n = 2\n1 n = 3\nend subroutine\n": ("TL162", 5),
    "x = 1.0\nend subroutine\nend subroutine": ("TL101", 3),
    "int f(int n) { return n; }": ("TL101", 1),
    "": ("TL104", 1),
    "subroutine f(x)\n  real :: x\n  if (x > 0) then\n    x = 1\nend subroutine\n": ("TL101", 5),
    "subroutine f(x)\n  use other\n  implicit none\n  real :: x\n  x = scale\nend subroutine\n": ("TL102", 2),
    "subroutine f(x)\n  real :: x\n  do i = 1, 3\n    x = x + 1\n  end if\nend subroutine\n": ("TL101", 5),
    "subroutine f(x)\n  real :: x\n  entry g(x)\n  x = 1\nend subroutine\n": ("TL162", 3),
    "subroutine f(x)\n  real :: x(9)\n  real, pointer :: p(:)\n  p = x\n  x = p\nend subroutine\n": ("TL161", 4),
    "subroutine f(x)\n  real :: x(2), y(2)\n  equivalence (x, y)\n  y = 1\nend subroutine\n": ("TL161", 1),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_read_is_told_by_its_line(text: str) -> None:
    code, line = REFUSED[text]
    try:
        found = [d for function in read_fortran(text, "f.f90") for d in function.diagnostics]
    except LiftError as error:
        found = list(error.diagnostics)
    assert [(d.code, d.location.line if d.location else 0) for d in found][:1] == [(code, line)]


def test_a_counter_that_a_loop_left_early_hands_on_is_no_internal_error() -> None:
    text = "subroutine f(n, x, y, k)\ninteger :: n, k\nreal :: x(n), y\ndo i = n, 3, -1\nx(i-1) = 3\nk = i\n"
    (function,) = read_fortran(text + "if (i >= 7) exit\ny = y + x(i)\nend do\nend subroutine\n", "f.f90")
    assert [d.code for d in function.diagnostics] != ["TL900"]


def test_a_unit_that_does_not_parse_refuses_itself_alone() -> None:
    text = "subroutine bad(n\nend subroutine\nreal function f(x)\n  real :: x\n  f = x + 1\nend function\n"
    bad, good = read_fortran(text, "f.f90")
    assert (bad.name, [d.code for d in bad.diagnostics]) == ("bad", ["TL101"])
    assert good.module is not None


_ELEMENTAL = """module m
contains
  elemental real function relu(x)
    real, intent(in) :: x
    relu = max(x, 0.0)
  end function
  subroutine f(x, y, k)
    real, intent(inout) :: x(:)
    real, intent(in) :: y(:)
    integer, intent(out) :: k
    x = relu(y - 0.5) + x
    k = maxloc(y, 1) - minloc(y, dim=1)
  end subroutine
end module
"""
_COMPONENTS = """module m
  implicit none
  type vec
    real(8) :: x = 0.5d0, y
  contains
    procedure :: add
    procedure :: times
  end type
  type body
    type(vec) :: at, by
    real(8), allocatable :: w(:)
    integer :: n = 3
  end type
  real(8), allocatable, target :: u(:)
  integer, private :: calls = 0
  real(8), parameter :: b(2) = [0.5d0, 2.0d0], weights(size(b)) = b*2
contains
  subroutine first(b, n, dt)
    integer, intent(in) :: n
    type(vec), intent(inout) :: b(0:n)
    real(8), intent(in) :: dt
    integer :: i
    do i = 1, n
      b(i) = vec(b(i - 1)%y*dt, y=b(i)%x)
    end do
    b(0)%x = b(n)%y
    calls = calls + 1
  end subroutine
  subroutine second(b, v)
    type(body), intent(inout), target :: b
    type(vec), intent(out) :: v
    real(8), pointer :: p(:)
    p => b%w
    p(2:) = p(:size(p) - 1) + u(2:size(p))
    call third(b%at)
    b%by = sum_of(b%at, b%at)
    v%y = b%n
  end subroutine
  subroutine sixth(o, list, x, ierr)
    type(vec), intent(inout) :: o, list(:)
    real(8), intent(inout) :: x
    integer, intent(out) :: ierr
    real(8), allocatable :: t(:)
    allocate(t(3), stat=ierr)
    if (ierr /= 0) return
    t = x
    associate (q => o)
      call q%add(x)
      x = x + q%times(u(1)) + t(2)
    end associate
    call list(2)%add(x)
    deallocate(t, stat=ierr)
  end subroutine
  subroutine add(self, by)
    class(vec), intent(inout) :: self
    real(8), intent(inout) :: by
    self%x = self%x + by
    by = by + 1
  end subroutine
  real(8) function times(self, a)
    class(vec), intent(in) :: self
    real(8), intent(in) :: a
    times = self%y*a + weights(1)
  end function
  subroutine masked(x, mask)
    real(8), intent(inout) :: x(:)
    logical, intent(in) :: mask(:)
    where (mask) x = 0
  end subroutine
  function sum_of(a, b) result(c)
    type(vec), intent(in) :: a, b
    type(vec) :: c
    c%x = a%x + b%x*weights(2)
    c%y = a%y + b%y
  end function
  subroutine third(v, scale)
    type(vec), intent(inout) :: v
    real(8), intent(in), optional :: scale
    v%x = v%x + v%y
    if (present(scale)) v%y = scale
    calls = calls + 1
  end subroutine
end module
subroutine fourth(n, x)
  integer n
  real x(n)
  common /c/ a, b(0:3), k
  x = x*a + b(k)
  call fifth
end subroutine
subroutine fifth
  common /c/ p, q(0:3), l
  p = p + q(0)
  l = mod(l + 1, 4)
end subroutine
"""
_MAIN = """program p
  real :: x
  call f(x)
contains
  subroutine f(x)
    real :: x
    x = 1
  end subroutine
end
"""


_FLAGGED = """subroutine f(trans, n, x)
  character :: trans
  integer :: n, info
  real(8) :: x(n)
  logical, external :: lsame
  info = 0
  if (.not. lsame(trans, 'N') .and. .not. lsame(trans, 't')) info = 1
  if (n < 0) info = 2
  if (info /= 0) then
    call xerbla('F', info)
    return
  end if
  if (lsame(trans, 'N')) then
    x = 2*x
  else
    x = x(n:1:-1)
  end if
end subroutine
"""
_FIXED = """      SUBROUTINE F(N, X)
      INTEGER N, I
      REAL*8 X(N)
C     A comment, then what lies behind column 72.
      DO 10 I = 1, N
        X(I) = 2*X(I)                                                   + 1
   10 CONTINUE
\tX(1) = X(1) ! the first
     1   + 2.5
      IF (N .GT. 3) X(2) = 1 D0 0
      END
"""


@_compiled
def test_components_and_pointers_are_as_gfortran_has_them() -> None:
    source = source_from_text(_COMPONENTS, "f.f90")
    options = LiftOptions(("first", "second", "third", "fourth", "fifth", "sixth", "masked"), test=True)
    for function in lift_source(source, options).functions:
        assert function.lifted, function.diagnostics
        assert all(trial.passed for trial in function.tests), function.name


@_compiled
def test_fixed_form_ends_at_column_72() -> None:
    (function,) = lift_source(source_from_text(_FIXED, "f.f"), LiftOptions(test=True)).functions
    assert function.lifted, function.diagnostics
    assert [trial.failure for trial in function.tests] == ["", ""]


@_compiled
def test_elemental_functions_apply_to_each_element_and_extremes_have_places() -> None:
    (function,) = lift_source(source_from_text(_ELEMENTAL, "f.f90"), LiftOptions(("f",), test=True)).functions
    assert function.lifted, function.diagnostics
    assert [trial.failure for trial in function.tests] == ["", ""]


def test_a_program_in_c_has_no_function_that_fortran_would_call() -> None:
    source = source_from_text(_source("x = 2*x"), "f.f90")
    (function,) = lift_source(source, LiftOptions(("f",), target="c")).functions
    assert "TL309" in [d.code for d in function.diagnostics]
    assert "f_original" not in function.program


def test_a_flag_that_is_checked_may_be_named_in_small_letters() -> None:
    (function,) = lift_source(source_from_text(_FLAGGED, "f.f90"), LiftOptions()).functions
    assert function.lifted, function.diagnostics


@_compiled
@pytest.mark.in_turns(3)
@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_what_an_argument_of_logical_denies_is_computed(target: str) -> None:
    pytest.importorskip(target)
    text = "subroutine f(n, h, x)\nlogical :: h\nreal(8) :: x(n)\nwhere (.not. h .and. x > 0) x = -x\nend\n"
    (function,) = lift_source(source_from_text(text, "f.f90"), LiftOptions(target=target, test=True)).functions
    assert function.lifted, function.diagnostics
    assert [trial.failure for trial in function.tests] == ["", ""]


def test_an_extreme_of_what_is_rounded_is_no_other_precision_in_c() -> None:
    """C has it as a comparison of its two arms."""
    text = "subroutine f(n, x, y)\ninteger :: n\nreal :: x(n), y(n)\ny = max(0., min(1., x/(0.6*y)))\nend subroutine\n"
    (function,) = lift_source(source_from_text(text, "f.f90"), LiftOptions(target="c")).functions
    assert function.lifted, function.diagnostics


def test_flags_are_compared_in_c() -> None:
    text = "subroutine f(c, x)\ncharacter(*) :: c\nreal(8) :: x(:)\nif (c(1:1) == 'N') x = x + 1\n"
    chosen = "select case (c)\ncase ('n')\nx = 2*x\nend select\nend\n"
    source = source_from_text(text + chosen, "f.f90")
    (function,) = lift_source(source, LiftOptions(target="c")).functions
    assert function.lifted, function.diagnostics


def test_procedures_of_a_main_program_are_read() -> None:
    (function,) = read_fortran(_MAIN, "f.f90")
    assert (function.name, function.diagnostics) == ("f", ())
