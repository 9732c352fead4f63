! Calls what `plate.f90` defines, and prints what comes of it.
program main
  use plate
  implicit none
  real(dp), pointer :: part(:)
  real(dp), target :: line(12)
  real(dp) :: u(9,12), v(9,12), c(5,4), b(3,4), t
  integer :: i, j
  do j = 1, 12
    do i = 1, 9
      u(i,j) = sin(1.0_dp*i + 7*j)
    end do
  end do
  v = 0
  call spread(u, v)
  call show("whole", v)
  call spread(u(2:7,1:3), v(1:6,4:6))
  call show("sections", v)
  call spread(u(9:1:-2,::3), v(1:5,1:4))
  call show("steps", v)
  call spread(u(:,1:0), v)
  call spread(u(1:1,:), v)
  call show("nothing", v)
  rate = 0.5_dp
  call spread(u, v)
  call show("rate", v)
  print "(a,4es24.14)", "energy", energy(u), energy(u(2:8:3,5:1:-1)), energy(u(:,3:2)), energy(u(3:4,:))
  print "(a,4l2)", "holes", has_hole(u), has_hole(abs(u)), has_hole(u(:,1:0)), has_hole(u(1:9:4,:))
  b = u(1:3,1:4)
  c = 1
  call product(5, 4, 3, u, 9, b, c)
  call show("product", c)
  call product(2, 2, 2, u(3:8,2:5), 6, u(1:3:2,1:2), c(1:4:3,2:3))
  call show("gaps", c)
  call product(5, 4, 0, u, 9, b, c)
  call product(0, 4, 3, u, 9, b, c)
  call show("empty", c)
  call turned("N", 4, 3, u, v(2:5,4:6))
  call turned("n", 9, 2, u, v)
  call turned("T", 4, 3, [u(:,3), u(:,4)], v(2:5,4:6))
  call turned("?", 9, 12, u, v)
  call show("turned", v)
  print "(a,20es24.14)", "means", column_means(u), column_means(u(1:9:2,::5))
  line = u(1,:)
  part => line(2:7)
  call faded(part, 0.5_dp)
  call faded(part, 0.5_dp, u(1:6,2))
  call faded(part, 0.5_dp, line(3:8))
  part => line(::2)
  call faded(part, 0.5_dp, u(1:6,2))
  print "(a,12es24.14)", "line", line
  call scaled_sum(7, u(1,:), v(2,:), t)
  call show("rows", v)
  call scaled_sum(9, u(:,1), v(:,1), t)
  print "(a,es24.14)", "total", t
  call scaled_sum(0, u(:,1), v(:,1), t)
  print "(a,es24.14)", "zero", t
contains
  subroutine show(name, a)
    character(*), intent(in) :: name
    real(dp), intent(in) :: a(:,:)
    print "(a,200es24.14)", name, a
  end subroutine
end program
