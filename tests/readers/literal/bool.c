// What becomes `_Bool` is compared with zero.
_Bool f(double x, int n) {
    _Bool b = x;
    b = n;
    return b;
}

// MLIR
// func.func @f(%x: f64 {tl.name = "x"}, %n: i32 {tl.name = "n"}) -> i8 {
//   %0 = arith.constant 0.000000e+00 : f64
//   %1 = arith.cmpf une, %x, %0 : f64
//   %2 = arith.extui %1 : i1 to i8
//   %3 = arith.constant 0 : i32
//   %4 = arith.cmpi ne, %n, %3 : i32
//   %5 = arith.extui %4 : i1 to i8
//   func.return %5 : i8
// }
