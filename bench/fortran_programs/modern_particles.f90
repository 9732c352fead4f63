! Particles: arrays of structures, structures of arrays, lists of places.
module particles
  use, intrinsic :: iso_c_binding, only: dp => c_double
  implicit none
  integer, parameter :: dim = 3

  type :: particle
    real(dp) :: x(dim) = 0, v(dim) = 0
    real(dp) :: mass = 1.0_dp
    integer :: cell = 1
    logical :: alive = .true.
  end type particle

  type :: cloud
    integer :: n
    real(dp), allocatable :: x(:, :), v(:, :), q(:)
  end type cloud

  real(dp) :: box = 10.0_dp
  real(dp) :: time = 0.0_dp

contains

  ! expect: loop-free
  subroutine drift(p, dt)
    type(particle), intent(inout) :: p(:)
    real(dp), intent(in) :: dt
    integer :: i
    do i = 1, size(p)
      if (.not. p(i)%alive) cycle
      p(i)%x = p(i)%x + dt*p(i)%v
    end do
    time = time + dt
  end subroutine drift

  ! expect: loop-free
  subroutine kick(c, e, dt)
    type(cloud), intent(inout) :: c
    real(dp), intent(in) :: e(3), dt
    integer :: i
    do i = 1, c%n
      c%v(:, i) = c%v(:, i) + dt*c%q(i)*e
    end do
  end subroutine kick

  ! expect: loop-free
  function kinetic(p) result(e)
    type(particle), intent(in) :: p(:)
    real(dp) :: e
    integer :: i
    e = 0
    do i = 1, size(p)
      e = e + 0.5_dp*p(i)%mass*dot_product(p(i)%v, p(i)%v)
    end do
  end function kinetic

  ! expect: loop-free
  subroutine wrap(c)
    type(cloud), intent(inout) :: c
    where (c%x > box)
      c%x = c%x - box
    elsewhere (c%x < 0)
      c%x = c%x + box
    end where
  end subroutine wrap

  ! expect: hybrid
  subroutine centre(p, n, middle)
    integer, intent(in) :: n
    type(particle), intent(in) :: p(n)
    real(dp), intent(out) :: middle(dim)
    integer :: k
    do k = 1, dim
      middle(k) = sum(p%mass*p%x(k))/sum(p%mass)
    end do
  end subroutine centre

  ! expect: loop-free
  subroutine gather_field(c, field, at, n)
    integer, intent(in) :: n, at(n)
    type(cloud), intent(inout) :: c
    real(dp), intent(in) :: field(:)
    c%q(1:n) = field(at)
  end subroutine gather_field

  ! expect: loop-free
  subroutine attraction(n, x, f)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(3, n)
    real(dp), intent(out) :: f(3, n)
    integer :: i, j
    real(dp) :: d(3), r2
    f = 0
    do i = 1, n
      do j = 1, n
        d = x(:, j) - x(:, i)
        r2 = sum(d*d) + 1.0e-6_dp
        f(:, i) = f(:, i) + d/(r2*sqrt(r2))
      end do
    end do
  end subroutine attraction

  ! expect: loop-free
  subroutine deposit(p, n, density, m)
    integer, intent(in) :: n, m
    type(particle), intent(in) :: p(n)
    real(dp), intent(inout) :: density(m)
    integer :: i
    do i = 1, n
      density(p(i)%cell) = density(p(i)%cell) + p(i)%mass
    end do
  end subroutine deposit

  ! expect: loop-free
  subroutine reset(p)
    type(particle), intent(out) :: p(:)
    integer :: i
    do i = 1, size(p)
      p(i)%x = [real(dp) :: i, 2*i, 3*i]
    end do
  end subroutine reset

  ! expect: loop-free
  subroutine mirror(p, axis)
    type(particle), intent(inout) :: p
    integer, intent(in) :: axis
    p%x(axis) = -p%x(axis)
    p%v(axis) = -p%v(axis)
  end subroutine mirror

  ! expect: loop-free
  integer function fastest(v, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: v(n)
    fastest = maxloc(v, dim=1)
  end function fastest

end module particles
