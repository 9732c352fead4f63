! Stencils of PolyBench, with bounds from zero and with sections.

! expect: hybrid
subroutine adi(tsteps, n, u, v, p, q)
  implicit none
  integer, intent(in) :: tsteps, n
  real(8), intent(inout) :: u(n,n)
  real(8), intent(out) :: v(n,n), p(n,n), q(n,n)
  real(8) :: dx, dy, dt, b1, b2, mul1, mul2, a, b, c, d, e, f
  integer :: t, i, j
  dx = 1.0d0/n
  dy = 1.0d0/n
  dt = 1.0d0/tsteps
  b1 = 2.0d0
  b2 = 1.0d0
  mul1 = b1*dt/(dx*dx)
  mul2 = b2*dt/(dy*dy)
  a = -mul1/2.0d0
  b = 1.0d0 + mul1
  c = a
  d = -mul2/2.0d0
  e = 1.0d0 + mul2
  f = d
  do t = 1, tsteps
    do i = 2, n - 1
      v(1,i) = 1.0d0
      p(i,1) = 0.0d0
      q(i,1) = v(1,i)
      do j = 2, n - 1
        p(i,j) = -c/(a*p(i,j-1) + b)
        q(i,j) = (-d*u(j,i-1) + (1.0d0 + 2.0d0*d)*u(j,i) - f*u(j,i+1) - a*q(i,j-1))/(a*p(i,j-1) + b)
      end do
      v(n,i) = 1.0d0
      do j = n - 1, 2, -1
        v(j,i) = p(i,j)*v(j+1,i) + q(i,j)
      end do
    end do
    do i = 2, n - 1
      u(i,1) = 1.0d0
      p(i,1) = 0.0d0
      q(i,1) = u(i,1)
      do j = 2, n - 1
        p(i,j) = -f/(d*p(i,j-1) + e)
        q(i,j) = (-a*v(i-1,j) + (1.0d0 + 2.0d0*a)*v(i,j) - c*v(i+1,j) - d*q(i,j-1))/(d*p(i,j-1) + e)
      end do
      u(i,n) = 1.0d0
      do j = n - 1, 2, -1
        u(i,j) = p(i,j)*u(i,j+1) + q(i,j)
      end do
    end do
  end do
end subroutine adi

! expect: hybrid
subroutine fdtd_2d(tmax, nx, ny, ex, ey, hz, fict)
  implicit none
  integer, intent(in) :: tmax, nx, ny
  real(8), intent(inout), dimension(nx,ny) :: ex, ey, hz
  real(8), intent(in) :: fict(tmax)
  integer :: t
  do t = 1, tmax
    ey(1,:) = fict(t)
    ey(2:nx,:) = ey(2:nx,:) - 0.5d0*(hz(2:nx,:) - hz(1:nx-1,:))
    ex(:,2:ny) = ex(:,2:ny) - 0.5d0*(hz(:,2:ny) - hz(:,1:ny-1))
    hz(1:nx-1,1:ny-1) = hz(1:nx-1,1:ny-1) - 0.7d0*(ex(1:nx-1,2:ny) - ex(1:nx-1,1:ny-1) &
                        + ey(2:nx,1:ny-1) - ey(1:nx-1,1:ny-1))
  end do
end subroutine fdtd_2d

! expect: hybrid
subroutine heat_3d(tsteps, n, a, b)
  implicit none
  integer, intent(in) :: tsteps, n
  real(8), intent(inout), dimension(0:n-1,0:n-1,0:n-1) :: a, b
  integer :: t, i, j, k
  do t = 1, tsteps
    do k = 1, n - 2
      do j = 1, n - 2
        do i = 1, n - 2
          b(i,j,k) = 0.125d0*(a(i+1,j,k) - 2.0d0*a(i,j,k) + a(i-1,j,k)) &
                   + 0.125d0*(a(i,j+1,k) - 2.0d0*a(i,j,k) + a(i,j-1,k)) &
                   + 0.125d0*(a(i,j,k+1) - 2.0d0*a(i,j,k) + a(i,j,k-1)) + a(i,j,k)
        end do
      end do
    end do
    do k = 1, n - 2
      do j = 1, n - 2
        do i = 1, n - 2
          a(i,j,k) = 0.125d0*(b(i+1,j,k) - 2.0d0*b(i,j,k) + b(i-1,j,k)) &
                   + 0.125d0*(b(i,j+1,k) - 2.0d0*b(i,j,k) + b(i,j-1,k)) &
                   + 0.125d0*(b(i,j,k+1) - 2.0d0*b(i,j,k) + b(i,j,k-1)) + b(i,j,k)
        end do
      end do
    end do
  end do
end subroutine heat_3d

! expect: hybrid
subroutine jacobi_1d(tsteps, n, a, b)
  implicit none
  integer, intent(in) :: tsteps, n
  real(8), intent(inout) :: a(n), b(n)
  integer :: t, i
  do t = 1, tsteps
    do i = 2, n - 1
      b(i) = 0.33333d0*(a(i-1) + a(i) + a(i+1))
    end do
    do i = 2, n - 1
      a(i) = 0.33333d0*(b(i-1) + b(i) + b(i+1))
    end do
  end do
end subroutine jacobi_1d

! expect: hybrid
subroutine jacobi_2d(tsteps, n, a, b)
  implicit none
  integer, intent(in) :: tsteps, n
  real(8), intent(inout) :: a(n,n), b(n,n)
  integer :: t
  do t = 1, tsteps
    b(2:n-1,2:n-1) = 0.2d0*(a(2:n-1,2:n-1) + a(2:n-1,1:n-2) + a(2:n-1,3:n) + a(3:n,2:n-1) + a(1:n-2,2:n-1))
    a(2:n-1,2:n-1) = 0.2d0*(b(2:n-1,2:n-1) + b(2:n-1,1:n-2) + b(2:n-1,3:n) + b(3:n,2:n-1) + b(1:n-2,2:n-1))
  end do
end subroutine jacobi_2d

! expect: unchanged
subroutine seidel_2d(tsteps, n, a)
  implicit none
  integer, intent(in) :: tsteps, n
  real(8), intent(inout) :: a(n,n)
  integer :: t, i, j
  do t = 1, tsteps
    do i = 2, n - 1
      do j = 2, n - 1
        a(j,i) = (a(j-1,i-1) + a(j,i-1) + a(j+1,i-1) + a(j-1,i) + a(j,i) + a(j+1,i) &
               + a(j-1,i+1) + a(j,i+1) + a(j+1,i+1))/9.0d0
      end do
    end do
  end do
end subroutine seidel_2d
