! Kernels of PolyBench that solve, factor and compare, as procedures that stand alone.

! expect: hybrid
subroutine cholesky(n, a)
  implicit none
  integer, intent(in) :: n
  real(kind=8), intent(inout) :: a(n,n)
  integer :: i, j, k
  do i = 1, n
    do j = 1, i - 1
      do k = 1, j - 1
        a(i,j) = a(i,j) - a(i,k)*a(j,k)
      end do
      a(i,j) = a(i,j)/a(j,j)
    end do
    do k = 1, i - 1
      a(i,i) = a(i,i) - a(i,k)*a(i,k)
    end do
    a(i,i) = sqrt(a(i,i))
  end do
end subroutine cholesky

! expect: hybrid
subroutine durbin(n, r, y)
  implicit none
  integer, intent(in) :: n
  real(kind=8), intent(in) :: r(n)
  real(kind=8), intent(out) :: y(n)
  real(kind=8) :: z(n), alpha, beta, total
  integer :: i, k
  y(1) = -r(1)
  beta = 1.0d0
  alpha = -r(1)
  do k = 2, n
    beta = (1 - alpha*alpha)*beta
    total = 0
    do i = 1, k - 1
      total = total + r(k - i)*y(i)
    end do
    alpha = -(r(k) + total)/beta
    do i = 1, k - 1
      z(i) = y(i) + alpha*y(k - i)
    end do
    do i = 1, k - 1
      y(i) = z(i)
    end do
    y(k) = alpha
  end do
end subroutine durbin

! expect: hybrid
subroutine gramschmidt(m, n, a, r, q)
  implicit none
  integer, intent(in) :: m, n
  real(kind=8), intent(inout) :: a(m,n)
  real(kind=8), intent(out) :: r(n,n), q(m,n)
  real(kind=8) :: nrm
  integer :: i, j, k
  do k = 1, n
    nrm = 0
    do i = 1, m
      nrm = nrm + a(i,k)*a(i,k)
    end do
    r(k,k) = sqrt(nrm)
    do i = 1, m
      q(i,k) = a(i,k)/r(k,k)
    end do
    do j = k + 1, n
      r(k,j) = 0
      do i = 1, m
        r(k,j) = r(k,j) + q(i,k)*a(i,j)
      end do
      do i = 1, m
        a(i,j) = a(i,j) - q(i,k)*r(k,j)
      end do
    end do
  end do
end subroutine gramschmidt

! expect: hybrid
subroutine lu(n, a)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: a(n,n)
  integer :: k
  do k = 1, n - 1
    a(k+1:n,k) = a(k+1:n,k)/a(k,k)
    a(k+1:n,k+1:n) = a(k+1:n,k+1:n) - spread(a(k+1:n,k), 2, n - k)*spread(a(k,k+1:n), 1, n - k)
  end do
end subroutine lu

! expect: hybrid
subroutine ludcmp(n, a, b, x, y)
  implicit none
  integer, intent(in) :: n
  double precision, intent(inout) :: a(n,n)
  double precision, intent(in) :: b(n)
  double precision, intent(out) :: x(n), y(n)
  double precision :: w
  integer :: i, j, k
  do i = 1, n
    do j = 1, i - 1
      w = a(i,j)
      do k = 1, j - 1
        w = w - a(i,k)*a(k,j)
      end do
      a(i,j) = w/a(j,j)
    end do
    do j = i, n
      w = a(i,j)
      do k = 1, i - 1
        w = w - a(i,k)*a(k,j)
      end do
      a(i,j) = w
    end do
  end do
  do i = 1, n
    w = b(i)
    do j = 1, i - 1
      w = w - a(i,j)*y(j)
    end do
    y(i) = w
  end do
  do i = n, 1, -1
    w = y(i)
    do j = i + 1, n
      w = w - a(i,j)*x(j)
    end do
    x(i) = w/a(i,i)
  end do
end subroutine ludcmp

! expect: hybrid
subroutine trisolv(n, l, x, b)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: l(n,n), b(n)
  double precision, intent(inout) :: x(n)
  integer :: i
  do i = 1, n
    x(i) = b(i)
    x(i) = x(i) - dot_product(l(i,1:i-1), x(1:i-1))
    x(i) = x(i)/l(i,i)
  end do
end subroutine trisolv

! expect: hybrid
subroutine floyd_warshall(n, path)
  implicit none
  integer, intent(in) :: n
  integer, intent(inout) :: path(n,n)
  integer :: i, j, k
  do k = 1, n
    do i = 1, n
      do j = 1, n
        path(j,i) = min(path(j,i), path(k,i) + path(j,k))
      end do
    end do
  end do
end subroutine floyd_warshall

! expect: hybrid
subroutine nussinov(n, seq, table)
  implicit none
  integer, intent(in) :: n, seq(n)
  integer, intent(inout) :: table(n,n)
  integer :: i, j, k
  do i = n, 1, -1
    do j = i + 1, n
      if (j > 1) table(i,j) = max(table(i,j), table(i,j-1))
      if (i < n) table(i,j) = max(table(i,j), table(i+1,j))
      if (j > 1 .and. i < n) then
        if (i < j - 1) then
          table(i,j) = max(table(i,j), table(i+1,j-1) + merge(1, 0, seq(i) + seq(j) == 3))
        else
          table(i,j) = max(table(i,j), table(i+1,j-1))
        end if
      end if
      do k = i + 1, j - 1
        table(i,j) = max(table(i,j), table(i,k) + table(k+1,j))
      end do
    end do
  end do
end subroutine nussinov

! expect: hybrid
subroutine deriche(w, h, alpha, imgin, imgout, y1, y2)
  implicit none
  integer, intent(in) :: w, h
  real, intent(in) :: alpha, imgin(h,w)
  real, intent(out) :: imgout(h,w), y1(h,w), y2(h,w)
  real :: k, a1, a2, a3, a4, b1, b2, ym1, ym2, xm1, xp1, xp2, yp1, yp2
  integer :: i, j
  k = (1.0 - exp(-alpha))*(1.0 - exp(-alpha))/(1.0 + 2.0*alpha*exp(-alpha) - exp(2.0*alpha))
  a1 = k
  a2 = k*exp(-alpha)*(alpha - 1.0)
  a3 = k*exp(-alpha)*(alpha + 1.0)
  a4 = -k*exp(-2.0*alpha)
  b1 = 2.0**(-alpha)
  b2 = -exp(-2.0*alpha)
  do i = 1, w
    ym1 = 0.0
    ym2 = 0.0
    xm1 = 0.0
    do j = 1, h
      y1(j,i) = a1*imgin(j,i) + a2*xm1 + b1*ym1 + b2*ym2
      xm1 = imgin(j,i)
      ym2 = ym1
      ym1 = y1(j,i)
    end do
  end do
  do i = 1, w
    yp1 = 0.0
    yp2 = 0.0
    xp1 = 0.0
    xp2 = 0.0
    do j = h, 1, -1
      y2(j,i) = a3*xp1 + a4*xp2 + b1*yp1 + b2*yp2
      xp2 = xp1
      xp1 = imgin(j,i)
      yp2 = yp1
      yp1 = y2(j,i)
    end do
  end do
  imgout = y1 + y2
end subroutine deriche

! expect: loop-free
subroutine correlation(m, n, float_n, dat, corr, mean, stddev)
  implicit none
  integer, intent(in) :: m, n
  real(8), intent(in) :: float_n
  real(8), intent(inout) :: dat(m,n)
  real(8), intent(out) :: corr(m,m), mean(m), stddev(m)
  real(8), parameter :: eps = 0.1d0
  integer :: i, j, k
  do j = 1, m
    mean(j) = 0.0d0
    do i = 1, n
      mean(j) = mean(j) + dat(j,i)
    end do
    mean(j) = mean(j)/float_n
  end do
  do j = 1, m
    stddev(j) = 0.0d0
    do i = 1, n
      stddev(j) = stddev(j) + (dat(j,i) - mean(j))**2
    end do
    stddev(j) = sqrt(stddev(j)/float_n)
    if (stddev(j) <= eps) stddev(j) = 1.0d0
  end do
  do i = 1, n
    do j = 1, m
      dat(j,i) = (dat(j,i) - mean(j))/(sqrt(float_n)*stddev(j))
    end do
  end do
  do i = 1, m - 1
    corr(i,i) = 1.0d0
    do j = i + 1, m
      corr(i,j) = 0.0d0
      do k = 1, n
        corr(i,j) = corr(i,j) + dat(i,k)*dat(j,k)
      end do
      corr(j,i) = corr(i,j)
    end do
  end do
  corr(m,m) = 1.0d0
end subroutine correlation

! expect: loop-free
subroutine covariance(m, n, float_n, dat, cov, mean)
  implicit none
  integer, intent(in) :: m, n
  real(8), intent(in) :: float_n
  real(8), intent(inout) :: dat(m,n)
  real(8), intent(out) :: cov(m,m), mean(m)
  integer :: i, j, k
  mean = sum(dat, dim=2)/float_n
  do i = 1, n
    dat(:,i) = dat(:,i) - mean
  end do
  do i = 1, m
    do j = i, m
      cov(i,j) = 0.0d0
      do k = 1, n
        cov(i,j) = cov(i,j) + dat(i,k)*dat(j,k)
      end do
      cov(i,j) = cov(i,j)/(float_n - 1.0d0)
      cov(j,i) = cov(i,j)
    end do
  end do
end subroutine covariance
