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
//   %b = arith.extui %1 : i1 to i8
//   %2 = arith.constant 0 : i32
//   %3 = arith.cmpi ne, %n, %2 : i32
//   %b_1 = arith.extui %3 : i1 to i8
//   func.return %b_1 : i8
// }
