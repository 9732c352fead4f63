! Multigrid, Jacobi, conjugate gradients: pieces of solvers, with sections of stride two, types and bound procedures.
module multigrid
  implicit none
  integer, parameter :: rk = kind(1.0d0)

  type :: level
    integer :: n = 1
    real(rk) :: h = 1.0_rk
    real(rk), allocatable :: u(:), f(:), r(:)
  contains
    procedure :: residual => level_residual
    procedure :: relax
  end type level

contains

  ! expect: loop-free
  subroutine level_residual(self)
    class(level), intent(inout) :: self
    integer :: i
    do i = 2, self%n - 1
      self%r(i) = self%f(i) - (self%u(i-1) - 2*self%u(i) + self%u(i+1))/self%h**2
    end do
  end subroutine level_residual

  ! expect: loop-free
  subroutine relax(self, omega)
    class(level), intent(inout) :: self
    real(rk), intent(in) :: omega
    call self%residual()
    associate (n => self%n)
      self%u(2:n-1) = self%u(2:n-1) - omega*self%h**2/2*self%r(2:n-1)
    end associate
  end subroutine relax

  ! expect: loop-free
  subroutine restrict_full(fine, coarse, n)
    integer, intent(in) :: n
    real(rk), intent(in) :: fine(0:2*n)
    real(rk), intent(out) :: coarse(0:n)
    coarse(0) = fine(0)
    coarse(n) = fine(2*n)
    coarse(1:n-1) = 0.25_rk*fine(1:2*n-3:2) + 0.5_rk*fine(2:2*n-2:2) + 0.25_rk*fine(3:2*n-1:2)
  end subroutine restrict_full

  ! expect: loop-free
  subroutine prolong(coarse, fine, n)
    integer, intent(in) :: n
    real(rk), intent(in) :: coarse(0:n)
    real(rk), intent(inout) :: fine(0:2*n)
    integer :: i
    do i = 0, n
      fine(2*i) = fine(2*i) + coarse(i)
    end do
    do i = 0, n-1
      fine(2*i+1) = fine(2*i+1) + 0.5_rk*(coarse(i) + coarse(i+1))
    end do
  end subroutine prolong

  ! expect: loop-free
  subroutine red_black(u, f, n, h2)
    integer, intent(in) :: n
    real(rk), intent(inout) :: u(0:n+1)
    real(rk), intent(in) :: f(n), h2
    u(1:n:2) = 0.5_rk*(u(0:n-1:2) + u(2:n+1:2) - h2*f(1:n:2))
    u(2:n:2) = 0.5_rk*(u(1:n-1:2) + u(3:n+1:2) - h2*f(2:n:2))
  end subroutine red_black

  ! expect: loop-free
  subroutine red_black_within(u, f, n)
    integer, intent(in) :: n
    real(rk), intent(inout) :: u(n)
    real(rk), intent(in) :: f(n)
    u(2:n-1:2) = 0.5_rk*(u(1:n-2:2) + u(3:n:2) - f(2:n-1:2))
    u(3:n-1:2) = 0.5_rk*(u(2:n-2:2) + u(4:n:2) - f(3:n-1:2))
  end subroutine red_black_within

  ! expect: loop-free
  subroutine red_black_plane(u, f, n, h2, color)
    integer, intent(in) :: n, color
    real(rk), intent(inout) :: u(0:n+1, 0:n+1)
    real(rk), intent(in) :: f(n, n), h2
    integer :: i, j
    do j = 1, n
      do i = 1 + mod(j + color, 2), n, 2
        u(i,j) = 0.25_rk*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1) - h2*f(i,j))
      end do
    end do
  end subroutine red_black_plane

  ! expect: loop-free
  subroutine restrict_within(fine, coarse)
    real(rk), intent(in) :: fine(:, :)
    real(rk), intent(out) :: coarse(:, :)
    integer :: n
    n = size(coarse, 1)
    coarse(2:n-1, 2:n-1) = 0.5_rk*fine(3:2*n-3:2, 3:2*n-3:2) &
      + 0.25_rk*(fine(2:2*n-4:2, 3:2*n-3:2) + fine(4:2*n-2:2, 3:2*n-3:2))
  end subroutine restrict_within

  ! expect: loop-free
  subroutine jacobi2d(u, f, w)
    real(rk), intent(in) :: u(:, :), f(:, :)
    real(rk), intent(inout) :: w(:, :)
    integer :: n, m
    n = size(u, 1)
    m = size(u, 2)
    w(2:n-1, 2:m-1) = 0.25_rk*(u(1:n-2, 2:m-1) + u(3:n, 2:m-1) + u(2:n-1, 1:m-2) + u(2:n-1, 3:m) - f(2:n-1, 2:m-1))
  end subroutine jacobi2d

  ! expect: loop-free
  subroutine cg_step(a, x, r, p)
    real(rk), intent(in) :: a(:, :)
    real(rk), intent(inout), dimension(:) :: x, r, p
    real(rk) :: alpha, rr, ap(size(p))
    ap = matmul(a, p)
    rr = dot_product(r, r)
    alpha = rr/dot_product(p, ap)
    x = x + alpha*p
    r = r - alpha*ap
    p = r + dot_product(r, r)/rr*p
  end subroutine cg_step

  ! expect: loop-free
  real(rk) function residual_norm(a, x, b)
    real(rk), intent(in) :: a(:, :), x(:), b(:)
    residual_norm = norm2(b - matmul(a, x))
  end function residual_norm

  ! expect: loop-free
  subroutine jacobi_periodic(u, v)
    real(rk), intent(in) :: u(:)
    real(rk), intent(out) :: v(size(u))
    v = 0.5_rk*(cshift(u, 1) + cshift(u, -1))
  end subroutine jacobi_periodic

  ! expect: unchanged
  subroutine sor(u, f, n, m, omega)
    integer, intent(in) :: n, m
    real(rk), intent(inout) :: u(0:n+1, 0:m+1)
    real(rk), intent(in) :: f(n, m), omega
    integer :: i, j
    do j = 1, m
      do i = 1, n
        u(i, j) = (1 - omega)*u(i, j) + omega/4*(u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - f(i, j))
      end do
    end do
  end subroutine sor

  ! expect: loop-free
  subroutine outer_update(a, x, y)
    real(rk), intent(inout) :: a(:, :)
    real(rk), intent(in) :: x(:), y(:)
    a = a + spread(x, 2, size(y))*spread(y, 1, size(x))
  end subroutine outer_update

  ! expect: refused TL152
  subroutine report(r, k)
    real(rk), intent(in) :: r
    integer, intent(in) :: k
    print *, 'residual', k, r
  end subroutine report

end module multigrid
