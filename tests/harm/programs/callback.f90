! SPDX-License-Identifier: GPL-2.0-only
! A callback in Fortran, in the middle between the library and what throws.
integer(c_int) function fortran_callback(arg) bind(C)
  use iso_c_binding
  implicit none
  type(c_ptr), value :: arg
  interface
    integer(c_int) function throw_if_odd(arg) bind(C)
      use iso_c_binding
      type(c_ptr), value :: arg
    end function
    integer(c_int) function counted_plain(x) bind(C)
      use iso_c_binding
      integer(c_int), value :: x
    end function
  end interface
  integer(c_int) :: many(16)
  many = counted_plain(1_c_int)
  fortran_callback = throw_if_odd(arg) + sum(many)
end function
