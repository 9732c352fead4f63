! Columns of an atmosphere: radiation by layers, moisture, tridiagonal systems; common blocks and module variables.
module column_data
  implicit none
  integer, parameter :: r8 = selected_real_kind(12)
  integer, parameter :: nlev = 20
  real(r8), parameter :: sigma_sb = 5.67e-8_r8, cp = 1004.0_r8
  real(r8) :: pressure(nlev+1)
  real(r8) :: absorption = 0.2_r8
  real(r8), dimension(:, :), allocatable :: temperature
end module column_data

module columns_of_air
  use column_data
  implicit none
contains

  ! expect: loop-free
  subroutine emission(t, e)
    real(r8), intent(in) :: t(:)
    real(r8), intent(out) :: e(size(t))
    e = absorption*sigma_sb*t**4
  end subroutine emission

  ! expect: unchanged
  subroutine flux_down(e, f)
    real(r8), intent(in) :: e(nlev)
    real(r8), intent(out) :: f(nlev+1)
    integer :: k
    f(1) = 0
    do k = 1, nlev
      f(k+1) = f(k)*(1.0_r8 - absorption) + e(k)
    end do
  end subroutine flux_down

  ! expect: loop-free
  subroutine heating_rate(net, rate)
    real(r8), intent(in) :: net(nlev+1)
    real(r8), intent(out) :: rate(nlev)
    rate = (net(1:nlev) - net(2:nlev+1))/(cp*(pressure(2:nlev+1) - pressure(1:nlev)))
  end subroutine heating_rate

  ! expect: loop-free
  subroutine optical_path(q, tau, ncol)
    integer, intent(in) :: ncol
    real(r8), intent(in) :: q(ncol, nlev)
    real(r8), intent(out) :: tau(ncol)
    integer :: k
    tau = 0
    do k = 1, nlev
      tau(:) = tau(:) + q(:, k)*(pressure(k+1) - pressure(k))
    end do
  end subroutine optical_path

  ! expect: loop-free
  subroutine saturate(q, qs, rain)
    real(r8), intent(inout) :: q(:, :)
    real(r8), intent(in) :: qs(:, :)
    real(r8), intent(out) :: rain(size(q, 1))
    rain = sum(max(q - qs, 0.0_r8), dim=2)
    q = min(q, qs)
  end subroutine saturate

  ! expect: loop-free
  subroutine relax_to_mean(dt, tau)
    real(r8), intent(in) :: dt, tau
    real(r8) :: mean
    integer :: i
    do i = 1, size(temperature, 2)
      mean = sum(temperature(:, i))/size(temperature, 1)
      temperature(:, i) = temperature(:, i) + dt/tau*(mean - temperature(:, i))
    end do
  end subroutine relax_to_mean

  ! expect: unchanged
  subroutine solve_tridiagonal(n, a, b, c, d, x)
    integer, intent(in) :: n
    real(r8), intent(in) :: a(n), b(n), c(n), d(n)
    real(r8), intent(out) :: x(n)
    real(r8) :: cc(n), dd(n), m
    integer :: i
    cc(1) = c(1)/b(1)
    dd(1) = d(1)/b(1)
    do i = 2, n
      m = b(i) - a(i)*cc(i-1)
      cc(i) = c(i)/m
      dd(i) = (d(i) - a(i)*dd(i-1))/m
    end do
    x(n) = dd(n)
    do i = n-1, 1, -1
      x(i) = dd(i) - cc(i)*x(i+1)
    end do
  end subroutine solve_tridiagonal

  ! expect: loop-free
  subroutine tridiagonal_product(n, a, b, c, x, y)
    integer, intent(in) :: n
    real(r8), intent(in), dimension(n) :: a, b, c, x
    real(r8), intent(out) :: y(n)
    y = b*x
    y(2:) = y(2:) + a(2:)*x(:n-1)
    y(:n-1) = y(:n-1) + c(:n-1)*x(2:)
  end subroutine tridiagonal_product

  ! expect: loop-free
  subroutine cloud_cover(rh, cover, top)
    real(r8), intent(in) :: rh(:)
    logical, intent(out) :: cover(size(rh))
    integer, intent(out) :: top
    cover = rh > 0.9_r8
    top = merge(1, 0, any(cover))
  end subroutine cloud_cover

end module columns_of_air

! expect: loop-free
subroutine surface(n, t, flux)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: t(n)
  real(8), intent(out) :: flux(n)
  real(8) :: albedo, solar, cosz(12)
  integer :: month
  common /sun/ albedo, solar, cosz, month
  flux = solar*cosz(month)*(1.0d0 - albedo) - 5.67d-8*t**4
end subroutine surface

! expect: loop-free
subroutine next_month
  implicit none
  real(8) :: a, s, z(12)
  integer :: m
  common /sun/ a, s, z, m
  m = mod(m, 12) + 1
end subroutine next_month
