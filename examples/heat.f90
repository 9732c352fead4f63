module heat_model
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  ! One explicit step of the heat equation on a plate whose border keeps its temperature.
  subroutine heat_step(u, v, c)
    real(dp), intent(in) :: u(0:, 0:), c
    real(dp), intent(inout) :: v(0:, 0:)
    integer :: i, j
    do j = 1, ubound(u, 2) - 1
      do i = 1, ubound(u, 1) - 1
        v(i,j) = u(i,j) + c*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1) - 4*u(i,j))
      end do
    end do
  end subroutine heat_step
end module heat_model
