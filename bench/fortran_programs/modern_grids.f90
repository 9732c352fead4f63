! Finite differences and shallow water as models have them today: modules, derived types, sections, constants by kind.
module kinds
  use, intrinsic :: iso_fortran_env, only: real64, int32
  implicit none
  integer, parameter :: wp = real64
end module kinds

module grids
  use kinds
  implicit none
  private
  real(wp), parameter :: gravity = 9.81_wp
  real(wp), parameter :: weights(-1:1) = [0.25_wp, 0.5_wp, 0.25_wp]

  type, public :: grid_type
    integer :: nx = 0, ny = 0
    real(wp) :: dx = 1.0_wp, dy = 1.0_wp
  end type grid_type

  type, public :: state_type
    type(grid_type) :: grid
    real(wp), allocatable, dimension(:,:) :: h, u, v
  end type state_type

  real(wp), public :: viscosity = 0.1_wp
  real(wp), allocatable, public :: depth(:,:)
  integer, public, save :: steps = 0

  public :: laplacian, diffuse, advect_upwind, swe_height, swe_velocity, coriolis, energy_of, enstrophy
  public :: smooth_rows, boundary_periodic, boundary_closed, courant, count_wet, drag, flux_limited, init_state, advance

contains

  pure real(wp) function coriolis(y, f0, beta)
    real(wp), intent(in) :: y, f0, beta
    coriolis = f0 + beta*y
  end function coriolis

  ! expect: loop-free
  pure subroutine laplacian(grid, f, lap)
    type(grid_type), intent(in) :: grid
    real(wp), intent(in) :: f(0:, 0:)
    real(wp), intent(out) :: lap(:, :)
    integer :: i, j
    do j = 1, grid%ny
      do i = 1, grid%nx
        lap(i, j) = (f(i+1, j) - 2.0_wp*f(i, j) + f(i-1, j))/grid%dx**2 + (f(i, j+1) - 2.0_wp*f(i, j) + f(i, j-1))/grid%dy**2
      end do
    end do
  end subroutine laplacian

  ! expect: loop-free
  subroutine diffuse(t, n, dt, dx)
    integer, intent(in) :: n
    real(wp), intent(in) :: dt, dx
    real(wp), intent(inout) :: t(0:n+1)
    associate (r => viscosity*dt/dx**2)
      t(1:n) = t(1:n) + r*(t(0:n-1) - 2*t(1:n) + t(2:n+1))
    end associate
    steps = steps + 1
  end subroutine diffuse

  ! expect: loop-free
  subroutine advect_upwind(q, u, n, dt)
    integer, intent(in) :: n
    real(wp), intent(inout) :: q(n)
    real(wp), intent(in) :: u(n), dt
    real(wp) :: old(n)
    integer :: i
    old = q
    do i = 2, n-1
      if (u(i) > 0.0_wp) then
        q(i) = old(i) - dt*u(i)*(old(i) - old(i-1))
      else
        q(i) = old(i) - dt*u(i)*(old(i+1) - old(i))
      end if
    end do
  end subroutine advect_upwind

  ! expect: loop-free
  subroutine swe_height(s, dt)
    type(state_type), intent(inout) :: s
    real(wp), intent(in) :: dt
    integer :: i, j
    do concurrent (j = 2:s%grid%ny-1, i = 2:s%grid%nx-1)
      s%h(i, j) = s%h(i, j) - dt*depth(i, j)*((s%u(i+1, j) - s%u(i-1, j))/(2*s%grid%dx) &
                  + (s%v(i, j+1) - s%v(i, j-1))/(2*s%grid%dy))
    end do
  end subroutine swe_height

  ! expect: loop-free
  subroutine swe_velocity(s, dt, f0, beta)
    type(state_type), intent(inout) :: s
    real(wp), intent(in) :: dt, f0, beta
    integer :: i, j
    real(wp) :: f
    do j = 2, s%grid%ny-1
      f = coriolis(s%grid%dy*j, f0, beta)
      do i = 2, s%grid%nx-1
        s%u(i, j) = s%u(i, j) + dt*(f*s%v(i, j) - gravity*(s%h(i+1, j) - s%h(i-1, j))/(2*s%grid%dx))
      end do
    end do
  end subroutine swe_velocity

  ! expect: loop-free
  pure function energy_of(s) result(e)
    type(state_type), intent(in) :: s
    real(wp) :: e
    e = 0.5_wp*sum(s%h*(s%u**2 + s%v**2)) + 0.5_wp*gravity*sum(s%h**2)
  end function energy_of

  ! expect: loop-free
  subroutine enstrophy(u, v, zeta, z)
    real(wp), intent(in) :: u(:, :), v(:, :)
    real(wp), intent(out) :: zeta(size(u, 1)-1, size(u, 2)-1), z
    integer :: nx, ny
    nx = size(u, 1)
    ny = size(u, 2)
    zeta = v(2:nx, 1:ny-1) - v(1:nx-1, 1:ny-1) - u(1:nx-1, 2:ny) + u(1:nx-1, 1:ny-1)
    z = sum(zeta**2)
  end subroutine enstrophy

  ! expect: loop-free
  subroutine smooth_rows(x, y)
    real(wp), intent(in) :: x(0:)
    real(wp), intent(out) :: y(:)
    integer :: i, k
    do i = 1, ubound(x, 1) - 1
      y(i) = 0
      do k = lbound(weights, 1), ubound(weights, 1)
        y(i) = y(i) + weights(k)*x(i+k)
      end do
    end do
  end subroutine smooth_rows

  ! expect: loop-free
  subroutine boundary_periodic(f, nx, ny)
    integer, intent(in) :: nx, ny
    real(wp), intent(inout) :: f(0:nx+1, 0:ny+1)
    f(0, :) = f(nx, :)
    f(nx+1, :) = f(1, :)
    f(:, 0) = f(:, ny)
    f(:, ny+1) = f(:, 1)
  end subroutine boundary_periodic

  ! expect: loop-free
  subroutine boundary_closed(s)
    type(state_type), intent(inout) :: s
    associate (u => s%u, v => s%v, nx => s%grid%nx, ny => s%grid%ny)
      u(1, :) = 0.0_wp
      u(nx, :) = 0.0_wp
      v(:, 1) = 0.0_wp
      v(:, ny) = 0.0_wp
    end associate
  end subroutine boundary_closed

  ! expect: loop-free
  pure real(wp) function courant(u, v, dt, dx)
    real(wp), intent(in) :: u(:), v(:), dt, dx
    courant = max(maxval(abs(u)), maxval(abs(v)))*dt/dx
  end function courant

  ! expect: loop-free
  pure integer function count_wet(h, least)
    real(wp), intent(in) :: h(:, :)
    real(wp), intent(in), optional :: least
    real(wp) :: limit
    limit = 0.01_wp
    if (present(least)) limit = least
    count_wet = count(h > limit)
  end function count_wet

  ! expect: loop-free
  elemental subroutine drag(u, cd, dt)
    real(wp), intent(inout) :: u
    real(wp), intent(in) :: cd, dt
    u = u/(1.0_wp + cd*dt*abs(u))
  end subroutine drag

  ! expect: loop-free
  subroutine flux_limited(q, f, n)
    integer, intent(in) :: n
    real(wp), intent(in) :: q(-1:n+2)
    real(wp), intent(out) :: f(0:n)
    real(wp) :: r, phi
    integer :: i
    do i = 0, n
      r = (q(i) - q(i-1))/(q(i+1) - q(i) + 1.0e-12_wp)
      phi = max(0.0_wp, min(2.0_wp*r, 1.0_wp), min(r, 2.0_wp))
      f(i) = q(i) + 0.5_wp*phi*(q(i+1) - q(i))
    end do
  end subroutine flux_limited

  ! expect: refused TL151
  subroutine init_state(s, nx, ny)
    type(state_type), intent(out) :: s
    integer, intent(in) :: nx, ny
    s%grid = grid_type(nx, ny)
    allocate(s%h(nx, ny), s%u(nx, ny), s%v(nx, ny))
    s%h = 1.0_wp
    s%u = 0.0_wp
    s%v = 0.0_wp
  end subroutine init_state

  ! expect: hybrid
  subroutine advance(u, n, m, dt)
    integer, intent(in) :: n, m
    real(wp), intent(inout) :: u(0:n+1)
    real(wp), intent(in) :: dt
    integer :: k
    do k = 1, m
      call diffuse(u, n, dt, 1.0_wp)
    end do
  end subroutine advance

end module grids
