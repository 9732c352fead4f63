! Procedures that are called on sections, shifted bounds and nothing; tests/cli/test_in_place_fortran.py.
module plate
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp) :: rate = 0.25_dp
contains
  subroutine spread(u, v)
    real(dp), intent(in) :: u(:, 0:)
    real(dp), intent(inout) :: v(:, :)
    integer :: i, j
    do j = 1, size(u, 2)
      do i = 2, size(u, 1) - 1
        v(i,j) = u(i,j-1) + rate*(u(i-1,j-1) + u(i+1,j-1) - 2*u(i,j-1))
      end do
    end do
  end subroutine

  pure function energy(u) result(total)
    real(dp), intent(in) :: u(:,:)
    real(dp) :: total
    total = sum(u*u)
  end function

  pure logical function has_hole(u)
    real(dp), intent(in) :: u(:,:)
    has_hole = any(u < 0)
  end function

  subroutine product(m, n, k, a, lda, b, c)
    integer, intent(in) :: m, n, k, lda
    real(dp), intent(in) :: a(lda,*), b(k,n)
    real(dp), intent(inout) :: c(0:m-1,0:n-1)
    integer :: i, j, l
    do j = 0, n - 1
      do i = 0, m - 1
        do l = 1, k
          c(i,j) = c(i,j) + a(i+1,l)*b(l,j+1)
        end do
      end do
    end do
  end subroutine

  subroutine turned(trans, n, m, u, v)
    character, intent(in) :: trans
    integer, intent(in) :: n, m
    real(dp), intent(in) :: u(*)
    real(dp), intent(inout) :: v(n,m)
    integer :: i, j
    do j = 1, m
      do i = 1, n
        if (trans == 'N' .or. trans == 'n') then
          v(i,j) = v(i,j) + u(i + n*(j - 1))
        else
          v(i,j) = v(i,j) + u(j + m*(i - 1))
        end if
      end do
    end do
  end subroutine

  function column_means(u) result(means)
    real(dp), intent(in) :: u(:,:)
    real(dp) :: means(size(u, 2))
    integer :: j
    do j = 1, size(u, 2)
      means(j) = sum(u(:,j))/size(u, 1)
    end do
  end function

  subroutine faded(u, by, shift)
    real(dp), intent(inout), pointer :: u(:)
    real(dp), intent(in) :: by
    real(dp), intent(in), optional :: shift(:)
    integer :: i
    do i = 1, size(u)
      if (present(shift)) u(i) = by*u(i) + shift(i)
    end do
  end subroutine

  subroutine scaled_sum(n, x, y, total)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(inout) :: y(n)
    real(dp), intent(out) :: total
    integer :: i
    total = 0
    do i = 1, n
      y(i) = y(i) + x(i)
      total = total + y(i)
    end do
  end subroutine
end module
