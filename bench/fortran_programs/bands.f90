! Matrices of a band, stored by diagonals, whose columns go from the greatest to the least of two places; a packed one.

! expect: hybrid
subroutine band_times(m, n, below, above, a, lda, x, y)
  integer, intent(in) :: m, n, below, above, lda
  double precision, intent(in) :: a(lda,*), x(*)
  double precision, intent(inout) :: y(*)
  integer :: i, j
  if (m < 0 .or. n < 0 .or. below < 0 .or. above < 0 .or. lda < below + above + 1) stop
  do j = 1, n
    do i = max(1, j - above), min(m, j + below)
      y(i) = y(i) + x(j)*a(above + 1 + i - j, j)
    end do
  end do
end subroutine

! expect: hybrid
subroutine band_transposed(m, n, below, above, a, lda, x, incx, y)
  integer, intent(in) :: m, n, below, above, lda, incx
  double precision, intent(in) :: a(lda,*), x(*)
  double precision, intent(inout) :: y(*)
  integer :: i, j, first, ix
  double precision :: s
  if (m < n .or. n < 0 .or. below < 0 .or. above < 0 .or. lda < below + above + 1) stop
  first = 1
  do j = 1, n
    s = 0
    ix = first
    do i = max(1, j - above), min(m, j + below)
      s = s + a(above + 1 + i - j, j)*x(ix)
      ix = ix + incx
    end do
    y(j) = y(j) + s
    if (j > above) first = first + incx
  end do
end subroutine

! expect: hybrid
subroutine band_solve(n, k, a, lda, x)
  integer, intent(in) :: n, k, lda
  double precision, intent(in) :: a(lda,*)
  double precision, intent(inout) :: x(*)
  integer :: i, j
  if (n < 0 .or. k < 0 .or. lda < k + 1) stop
  do j = n, 1, -1
    x(j) = x(j)/a(k + 1, j)
    do i = j - 1, max(1, j - k), -1
      x(i) = x(i) - x(j)*a(k + 1 + i - j, j)
    end do
  end do
end subroutine

! expect: hybrid
subroutine band_lower(n, k, a, lda, x)
  integer, intent(in) :: n, k, lda
  double precision, intent(in) :: a(lda,*)
  double precision, intent(inout) :: x(*)
  integer :: i, j, l
  if (n < 0 .or. k < 0 .or. lda < k + 1) stop
  do j = 1, n
    l = 1 - j
    if (x(j) /= 0) then
      x(j) = x(j)/a(1, j)
      do i = j + 1, min(n, j + k)
        x(i) = x(i) - x(j)*a(l + i, j)
      end do
    end if
  end do
end subroutine

! expect: scan
subroutine packed_rank_one(n, alpha, x, ap)
  integer, intent(in) :: n
  double precision, intent(in) :: alpha, x(n)
  double precision, intent(inout) :: ap(n*(n + 1)/2)
  integer :: i, j, k, kk
  kk = 1
  do j = 1, n
    k = kk
    do i = 1, j
      ap(k) = ap(k) + alpha*x(i)*x(j)
      k = k + 1
    end do
    kk = kk + j
  end do
end subroutine
