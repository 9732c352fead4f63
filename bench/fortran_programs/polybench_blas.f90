! Kernels of PolyBench on matrices, as a module of Fortran 90.
module polybench_blas
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains

  ! expect: loop-free
  subroutine gemm(ni, nj, nk, alpha, beta, c, a, b)
    integer, intent(in) :: ni, nj, nk
    real(dp), intent(in) :: alpha, beta, a(ni,nk), b(nk,nj)
    real(dp), intent(inout) :: c(ni,nj)
    integer :: i, j, k
    do j = 1, nj
      do i = 1, ni
        c(i,j) = c(i,j)*beta
      end do
      do k = 1, nk
        do i = 1, ni
          c(i,j) = c(i,j) + alpha*a(i,k)*b(k,j)
        end do
      end do
    end do
  end subroutine gemm

  ! expect: loop-free
  subroutine gemver(n, alpha, beta, a, u1, v1, u2, v2, w, x, y, z)
    integer, intent(in) :: n
    real(dp), intent(in) :: alpha, beta, u1(n), v1(n), u2(n), v2(n), y(n), z(n)
    real(dp), intent(inout) :: a(n,n), w(n), x(n)
    integer :: i, j
    do i = 1, n
      do j = 1, n
        a(j,i) = a(j,i) + u1(i)*v1(j) + u2(i)*v2(j)
      end do
    end do
    do i = 1, n
      do j = 1, n
        x(i) = x(i) + beta*a(i,j)*y(j)
      end do
    end do
    do i = 1, n
      x(i) = x(i) + z(i)
    end do
    do i = 1, n
      do j = 1, n
        w(i) = w(i) + alpha*a(j,i)*x(j)
      end do
    end do
  end subroutine gemver

  ! expect: loop-free
  subroutine gesummv(n, alpha, beta, a, b, tmp, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: alpha, beta, a(n,n), b(n,n), x(n)
    real(dp), intent(out) :: tmp(n), y(n)
    integer :: i, j
    do i = 1, n
      tmp(i) = 0.0_dp
      y(i) = 0.0_dp
      do j = 1, n
        tmp(i) = a(j,i)*x(j) + tmp(i)
        y(i) = b(j,i)*x(j) + y(i)
      end do
      y(i) = alpha*tmp(i) + beta*y(i)
    end do
  end subroutine gesummv

  ! expect: loop-free
  subroutine syrk(n, m, alpha, beta, c, a)
    integer, intent(in) :: n, m
    real(dp), intent(in) :: alpha, beta, a(n,m)
    real(dp), intent(inout) :: c(n,n)
    integer :: i, j, k
    do i = 1, n
      do j = 1, i
        c(i,j) = c(i,j)*beta
      end do
      do k = 1, m
        do j = 1, i
          c(i,j) = c(i,j) + alpha*a(i,k)*a(j,k)
        end do
      end do
    end do
  end subroutine syrk

  ! expect: loop-free
  subroutine syr2k(n, m, alpha, beta, c, a, b)
    integer, intent(in) :: n, m
    real(dp), intent(in) :: alpha, beta, a(n,m), b(n,m)
    real(dp), intent(inout) :: c(n,n)
    integer :: i, j, k
    do i = 1, n
      do j = 1, i
        c(i,j) = c(i,j)*beta
      end do
      do k = 1, m
        do j = 1, i
          c(i,j) = c(i,j) + a(j,k)*alpha*b(i,k) + b(j,k)*alpha*a(i,k)
        end do
      end do
    end do
  end subroutine syr2k

  ! expect: loop-free
  subroutine symm(m, n, alpha, beta, c, a, b)
    integer, intent(in) :: m, n
    real(dp), intent(in) :: alpha, beta, a(m,m), b(m,n)
    real(dp), intent(inout) :: c(m,n)
    integer :: i, j, k
    real(dp) :: temp2
    do i = 1, m
      do j = 1, n
        temp2 = 0.0_dp
        do k = 1, i - 1
          c(k,j) = c(k,j) + alpha*b(i,j)*a(i,k)
          temp2 = temp2 + b(k,j)*a(i,k)
        end do
        c(i,j) = beta*c(i,j) + alpha*b(i,j)*a(i,i) + alpha*temp2
      end do
    end do
  end subroutine symm

  ! expect: loop-free
  subroutine trmm(m, n, alpha, a, b)
    integer, intent(in) :: m, n
    real(dp), intent(in) :: alpha, a(m,m)
    real(dp), intent(inout) :: b(m,n)
    integer :: i, j, k
    do i = 1, m
      do j = 1, n
        do k = i + 1, m
          b(i,j) = b(i,j) + a(k,i)*b(k,j)
        end do
        b(i,j) = alpha*b(i,j)
      end do
    end do
  end subroutine trmm

  ! expect: loop-free
  subroutine k2mm(ni, nj, nk, nl, alpha, beta, tmp, a, b, c, d)
    integer, intent(in) :: ni, nj, nk, nl
    real(dp), intent(in) :: alpha, beta, a(ni,nk), b(nk,nj), c(nj,nl)
    real(dp), intent(inout) :: tmp(ni,nj), d(ni,nl)
    integer :: i, j, k
    do i = 1, ni
      do j = 1, nj
        tmp(i,j) = 0.0_dp
        do k = 1, nk
          tmp(i,j) = tmp(i,j) + alpha*a(i,k)*b(k,j)
        end do
      end do
    end do
    do i = 1, ni
      do j = 1, nl
        d(i,j) = d(i,j)*beta
        do k = 1, nj
          d(i,j) = d(i,j) + tmp(i,k)*c(k,j)
        end do
      end do
    end do
  end subroutine k2mm

  ! expect: loop-free
  subroutine k3mm(ni, nj, nk, nl, nm, e, a, b, f, c, d, g)
    integer, intent(in) :: ni, nj, nk, nl, nm
    real(dp), intent(in) :: a(ni,nk), b(nk,nj), c(nj,nm), d(nm,nl)
    real(dp), intent(out) :: e(ni,nj), f(nj,nl), g(ni,nl)
    e = matmul(a, b)
    f = matmul(c, d)
    g = matmul(e, f)
  end subroutine k3mm

  ! expect: loop-free
  subroutine atax(m, n, a, x, y, tmp)
    integer, intent(in) :: m, n
    real(dp), intent(in) :: a(m,n), x(n)
    real(dp), intent(out) :: y(n), tmp(m)
    integer :: i
    y = 0
    do i = 1, m
      tmp(i) = dot_product(a(i,:), x)
      y = y + a(i,:)*tmp(i)
    end do
  end subroutine atax

  ! expect: loop-free
  subroutine bicg(m, n, a, s, q, p, r)
    integer, intent(in) :: m, n
    real(dp), intent(in) :: a(n,m), p(m), r(n)
    real(dp), intent(out) :: s(m), q(n)
    integer :: i, j
    s(:) = 0.0_dp
    do i = 1, n
      q(i) = 0.0_dp
      do j = 1, m
        s(j) = s(j) + r(i)*a(i,j)
        q(i) = q(i) + a(i,j)*p(j)
      end do
    end do
  end subroutine bicg

  ! expect: loop-free
  subroutine mvt(n, x1, x2, y1, y2, a)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x1(n), x2(n)
    real(dp), intent(in) :: y1(n), y2(n), a(n,n)
    integer :: i, j
    do i = 1, n
      do j = 1, n
        x1(i) = x1(i) + a(i,j)*y1(j)
      end do
    end do
    do i = 1, n
      do j = 1, n
        x2(i) = x2(i) + a(j,i)*y2(j)
      end do
    end do
  end subroutine mvt

  ! expect: loop-free
  subroutine doitgen(nr, nq, np, a, c4)
    integer, intent(in) :: nr, nq, np
    real(dp), intent(inout) :: a(nr,nq,np)
    real(dp), intent(in) :: c4(np,np)
    real(dp) :: total(np)
    integer :: r, q, p, s
    do r = 1, nr
      do q = 1, nq
        do p = 1, np
          total(p) = 0.0_dp
          do s = 1, np
            total(p) = total(p) + a(r,q,s)*c4(s,p)
          end do
        end do
        do p = 1, np
          a(r,q,p) = total(p)
        end do
      end do
    end do
  end subroutine doitgen

end module polybench_blas
