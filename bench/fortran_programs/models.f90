! Loops of models, with modules, sections, assumed shapes and masks.
module constants
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  real(wp), parameter :: gravity = 9.81_wp, half = 0.5_wp
  integer, parameter :: halo = 1
end module constants

module shallow_water
  use constants
  implicit none
  private
  public :: step_velocity, step_height, total_energy, clip_depth
contains

  ! expect: loop-free
  subroutine step_velocity(u, v, h, dt, dx)
    real(wp), intent(inout) :: u(:,:), v(:,:)
    real(wp), intent(in) :: h(:,:), dt, dx
    integer :: nx, ny
    nx = size(h, 1)
    ny = size(h, 2)
    u(2:nx,:) = u(2:nx,:) - gravity*dt/dx*(h(2:nx,:) - h(1:nx-1,:))
    v(:,2:ny) = v(:,2:ny) - gravity*dt/dx*(h(:,2:ny) - h(:,1:ny-1))
  end subroutine step_velocity

  ! expect: loop-free
  subroutine step_height(nx, ny, h, u, v, dt, dx, depth)
    integer, intent(in) :: nx, ny
    real(wp), intent(inout) :: h(1-halo:nx+halo, 1-halo:ny+halo)
    real(wp), intent(in), dimension(1-halo:nx+halo, 1-halo:ny+halo) :: u, v
    real(wp), intent(in) :: dt, dx, depth
    integer :: i, j
    do concurrent (j = 1:ny, i = 1:nx)
      h(i,j) = h(i,j) - half*dt/dx*depth*(u(i+1,j) - u(i-1,j) + v(i,j+1) - v(i,j-1))
    end do
  end subroutine step_height

  ! expect: loop-free
  pure function total_energy(h, u, v) result(energy)
    real(wp), intent(in), dimension(:,:) :: h, u, v
    real(wp) :: energy
    energy = half*sum(h*(u**2 + v**2)) + half*gravity*sum(h**2)
  end function total_energy

  ! expect: loop-free
  subroutine clip_depth(h, least, dry)
    real(wp), intent(inout) :: h(:,:)
    real(wp), intent(in) :: least
    logical, intent(out) :: dry(:,:)
    dry = h < least
    where (dry)
      h = least
    end where
  end subroutine clip_depth

end module shallow_water

module columns
  use constants, only: wp
  implicit none
  real(wp), parameter :: weights(3) = [0.25_wp, 0.5_wp, 0.25_wp]
contains

  ! expect: loop-free
  subroutine smooth(n, x, y)
    integer, intent(in) :: n
    real(wp), intent(in) :: x(0:n+1)
    real(wp), intent(out) :: y(n)
    integer :: i, k
    do i = 1, n
      y(i) = 0
      do k = 1, size(weights)
        y(i) = y(i) + weights(k)*x(i + k - 2)
      end do
    end do
  end subroutine smooth

  ! expect: unchanged
  subroutine thomas(n, a, b, c, d, x)
    integer, intent(in) :: n
    real(wp), intent(in), dimension(n) :: a, b, c, d
    real(wp), intent(out) :: x(n)
    real(wp) :: cp(n), dp(n), m
    integer :: i
    cp(1) = c(1)/b(1)
    dp(1) = d(1)/b(1)
    do i = 2, n
      m = b(i) - cp(i-1)*a(i)
      cp(i) = c(i)/m
      dp(i) = (d(i) - dp(i-1)*a(i))/m
    end do
    x(n) = dp(n)
    do i = n - 1, 1, -1
      x(i) = dp(i) - cp(i)*x(i+1)
    end do
  end subroutine thomas

  ! expect: loop-free
  subroutine heating(nlev, flux_up, flux_down, pressure, rate)
    integer, intent(in) :: nlev
    real(wp), intent(in), dimension(0:nlev) :: flux_up, flux_down, pressure
    real(wp), intent(out) :: rate(nlev)
    integer :: k
    do k = 1, nlev
      rate(k) = -(flux_up(k) - flux_up(k-1) - flux_down(k) + flux_down(k-1))/(pressure(k) - pressure(k-1))
    end do
  end subroutine heating

  ! expect: scan
  subroutine optical_depth(nlev, absorption, thickness, tau)
    integer, intent(in) :: nlev
    real(wp), intent(in) :: absorption(nlev), thickness(nlev)
    real(wp), intent(out) :: tau(0:nlev)
    integer :: k
    tau(0) = 0
    do k = 1, nlev
      tau(k) = tau(k-1) + absorption(k)*thickness(k)
    end do
  end subroutine optical_depth

  ! expect: loop-free
  subroutine restrict_grid(n, fine, coarse)
    integer, intent(in) :: n
    real(wp), intent(in) :: fine(0:2*n)
    real(wp), intent(out) :: coarse(0:n)
    integer :: i
    coarse(0) = fine(0)
    coarse(n) = fine(2*n)
    do i = 1, n - 1
      coarse(i) = 0.25_wp*(fine(2*i-1) + 2*fine(2*i) + fine(2*i+1))
    end do
  end subroutine restrict_grid

  ! expect: loop-free
  subroutine forces(n, x, y, fx, fy)
    integer, intent(in) :: n
    real, intent(in) :: x(n), y(n)
    real, intent(out) :: fx(n), fy(n)
    real :: dx, dy, r2
    integer :: i, j
    fx = 0.0
    fy = 0.0
    do i = 1, n
      do j = 1, n
        if (i == j) cycle
        dx = x(j) - x(i)
        dy = y(j) - y(i)
        r2 = dx*dx + dy*dy + 0.01
        fx(i) = fx(i) + dx/(r2*sqrt(r2))
        fy(i) = fy(i) + dy/(r2*sqrt(r2))
      end do
    end do
  end subroutine forces

  ! expect: loop-free
  integer function first_above(n, x, limit)
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n), limit
    integer :: i
    first_above = 0
    do i = 1, n
      if (x(i) > limit) then
        first_above = i
        exit
      end if
    end do
  end function first_above

  ! expect: loop-free
  subroutine classify(n, x, kind_of)
    integer, intent(in) :: n, x(n)
    integer, intent(out) :: kind_of(n)
    integer :: i
    do i = 1, n
      select case (mod(x(i), 10))
      case (0)
        kind_of(i) = 0
      case (1:4, -4:-1)
        kind_of(i) = 1
      case default
        kind_of(i) = 2
      end select
    end do
  end subroutine classify

  ! expect: loop-free
  subroutine normalise(a, norm)
    real(wp), intent(inout) :: a(:)
    real(wp), intent(out) :: norm
    norm = norm2(a)
    if (norm > 0) a = a/norm
  end subroutine normalise

  ! expect: loop-free
  subroutine advect(n, q, c)
    integer, intent(in) :: n
    real(wp), intent(inout) :: q(n)
    real(wp), intent(in) :: c
    q = q - c*(q - cshift(q, -1))
  end subroutine advect

end module columns
