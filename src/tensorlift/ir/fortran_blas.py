"""What BLAS means, and what LAPACK asks of the machine, as procedures of Fortran.

They stand in for those that a file calls and does not define.  Vectors are read from their start, with increments above
zero; increments that go down are refused where they are stated and are preconditions elsewhere, as in a source that has
the loops itself.
"""

from __future__ import annotations

import re
from functools import cache

_KINDS = {"s": "real(4)", "d": "real(8)", "c": "complex(4)", "z": "complex(8)"}
_REAL = {"s": "real(4)", "d": "real(8)", "c": "real(4)", "z": "real(8)"}


def _walked(*statements: str) -> str:
    """Go over two vectors, from the end of one whose increment is below zero."""
    body = "".join(f"    {statement}\n" for statement in statements)
    return f"""  ix = 1
  iy = 1
  if (incx < 0) ix = 1 - (n - 1)*incx
  if (incy < 0) iy = 1 - (n - 1)*incy
  do i = 1, n
{body}    ix = ix + incx
    iy = iy + incy
  end do
"""


_ANY = f"""
subroutine @axpy(n, a, x, incx, y, incy)
  integer :: n, incx, incy, i, ix, iy
  # :: a, x(*), y(*)
{_walked("y(iy) = y(iy) + a*x(ix)")}end subroutine
subroutine @copy(n, x, incx, y, incy)
  integer :: n, incx, incy, i, ix, iy
  # :: x(*), y(*)
{_walked("y(iy) = x(ix)")}end subroutine
subroutine @swap(n, x, incx, y, incy)
  integer :: n, incx, incy, i, ix, iy
  # :: x(*), y(*), t
{_walked("t = x(ix)", "x(ix) = y(iy)", "y(iy) = t")}end subroutine
subroutine @scal(n, a, x, incx)
  integer :: n, incx, i
  # :: a, x(*)
  if (incx <= 0) return
  do i = 1, n
    x(1 + (i - 1)*incx) = a*x(1 + (i - 1)*incx)
  end do
end subroutine
subroutine @gemv(trans, m, n, alpha, a, lda, x, incx, beta, y, incy)
  character :: trans
  integer :: m, n, lda, incx, incy, i, j, ix, iy, rows, columns
  # :: alpha, beta, a(lda,*), x(*), y(*), t
  logical :: lsame
  rows = m
  columns = n
  if (.not. lsame(trans, 'N')) then
    rows = n
    columns = m
  end if
  do i = 1, rows
    t = 0
    do j = 1, columns
      ix = 1 + (j - 1)*incx
      if (incx < 0) ix = 1 - (columns - j)*incx
      if (lsame(trans, 'N')) then
        t = t + a(i,j)*x(ix)
      else if (lsame(trans, 'T')) then
        t = t + a(j,i)*x(ix)
      else
        t = t + ~(a(j,i))*x(ix)
      end if
    end do
    iy = 1 + (i - 1)*incy
    if (incy < 0) iy = 1 - (rows - i)*incy
    if (beta == 0) then
      y(iy) = alpha*t
    else
      y(iy) = alpha*t + beta*y(iy)
    end if
  end do
end subroutine
subroutine @gemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
  character :: transa, transb
  integer :: m, n, k, lda, ldb, ldc, i, j, l
  # :: alpha, beta, a(lda,*), b(ldb,*), c(ldc,*), t, u, v
  logical :: lsame
  do j = 1, n
    do i = 1, m
      t = 0
      do l = 1, k
        if (lsame(transa, 'N')) then
          u = a(i,l)
        else if (lsame(transa, 'T')) then
          u = a(l,i)
        else
          u = ~(a(l,i))
        end if
        if (lsame(transb, 'N')) then
          v = b(l,j)
        else if (lsame(transb, 'T')) then
          v = b(j,l)
        else
          v = ~(b(j,l))
        end if
        t = t + u*v
      end do
      if (beta == 0) then
        c(i,j) = alpha*t
      else
        c(i,j) = alpha*t + beta*c(i,j)
      end if
    end do
  end do
end subroutine
"""

_RANK_ONE = """
subroutine %(m, n, alpha, x, incx, y, incy, a, lda)
  integer :: m, n, incx, incy, lda, i, j, ix, iy
  # :: alpha, x(*), y(*), a(lda,*)
  do j = 1, n
    iy = 1 + (j - 1)*incy
    if (incy < 0) iy = 1 - (n - j)*incy
    do i = 1, m
      ix = 1 + (i - 1)*incx
      if (incx < 0) ix = 1 - (m - i)*incx
      a(i,j) = a(i,j) + alpha*x(ix)*~(y(iy))
    end do
  end do
end subroutine
"""

_PRODUCT = f"""
# function %(n, x, incx, y, incy)
  integer :: n, incx, incy, i, ix, iy
  # :: x(*), y(*)
  % = 0
{_walked("% = % + ~(x(ix))*y(iy)")}end function
"""

_SIZES = """
# function %asum(n, x, incx)
  integer :: n, incx, i
  $ :: x(*)
  ?
  %asum = 0
  if (incx <= 0) return
  do i = 1, n
    %asum = %asum + &(x(1 + (i - 1)*incx))
  end do
end function
# function %nrm2(n, x, incx)
  integer :: n, incx, i
  $ :: x(*)
  # :: t
  %nrm2 = 0
  if (incx <= 0) return
  t = 0
  do i = 1, n
    t = t + abs(x(1 + (i - 1)*incx))**2
  end do
  %nrm2 = sqrt(t)
end function
integer function i@amax(n, x, incx)
  integer :: n, incx, i
  $ :: x(*)
  # :: most
  ?
  i@amax = 0
  if (n < 1 .or. incx <= 0) return
  i@amax = 1
  most = &(x(1))
  do i = 2, n
    if (&(x(1 + (i - 1)*incx)) > most) then
      i@amax = i
      most = &(x(1 + (i - 1)*incx))
    end if
  end do
end function
"""

_CABS1 = """
# function %(z)
  $ :: z
  % = abs(real(z)) + abs(aimag(z))
end function
"""


_MACHINE = """
function @lamch(cmach)
  character :: cmach
  # :: @lamch
  logical :: lsame
  @lamch = 0
  if (lsame(cmach, 'E')) @lamch = epsilon(@lamch)*0.5
  if (lsame(cmach, 'S')) @lamch = tiny(@lamch)
  if (lsame(cmach, 'B')) @lamch = 2
  if (lsame(cmach, 'P')) @lamch = epsilon(@lamch)
  if (lsame(cmach, 'N')) @lamch = digits(@lamch)
  if (lsame(cmach, 'R')) @lamch = 1
  if (lsame(cmach, 'M')) @lamch = minexponent(@lamch)
  if (lsame(cmach, 'U')) @lamch = tiny(@lamch)
  if (lsame(cmach, 'L')) @lamch = maxexponent(@lamch)
  if (lsame(cmach, 'O')) @lamch = huge(@lamch)
end function
"""


@cache
def procedures() -> dict[str, str]:
    """Give the source of each procedure by its name."""
    texts: list[str] = []
    for prefix, kind in _KINDS.items():
        is_complex = kind.startswith("complex")
        texts.append("" if is_complex else _filled(_MACHINE, prefix, kind))
        conjugate = "conjg" if is_complex else ""
        texts.append(_filled(_ANY, prefix, kind, conjugate=conjugate))
        for ending, inner in (("u", ""), ("c", "conjg")) if is_complex else (("", ""),):
            texts.append(_filled(_RANK_ONE, prefix, kind, name=f"{prefix}ger{ending}", conjugate=inner))
            texts.append(_filled(_PRODUCT, prefix, kind, name=f"{prefix}dot{ending}", conjugate=inner))
        real = {"c": "s", "z": "d"}.get(prefix, "")
        sizes = _filled(_SIZES, prefix, _REAL[prefix], name=f"{real}{prefix}", conjugate=conjugate)
        size = f"{real}cabs1" if is_complex else "abs"
        declared = f"  {_REAL[prefix]} :: {size}\n" if is_complex else ""
        texts.append(sizes.replace("$", kind).replace("&", size).replace("  ?\n", declared))
        if is_complex:
            texts.append(_filled(_CABS1, prefix, _REAL[prefix], name=f"{real}cabs1").replace("$", kind))
    parts = re.findall(r"\S.*?\nend (?:subroutine|function)\n", "".join(texts), re.DOTALL)
    return {re.findall(r"\w+(?=\()", part.partition("\n")[0])[-1]: part for part in parts}


def _filled(text: str, prefix: str, kind: str, *, name: str = "", conjugate: str = "") -> str:
    return text.replace("@", prefix).replace("#", kind).replace("%", name).replace("~", conjugate)
