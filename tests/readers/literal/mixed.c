// The usual arithmetic conversions stand as operations.
double f(int n, unsigned m, float x) {
    return n * m + x * n + m * 0.5;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %m: i32 {tl.name = "m"}, %x: f32 {tl.name = "x"}) -> f64 {
//   %0 = arith.muli %n, %m : i32
//   %1 = arith.uitofp %0 : i32 to f32
//   %2 = arith.sitofp %n : i32 to f32
//   %3 = arith.mulf %x, %2 : f32
//   %4 = arith.addf %1, %3 : f32
//   %5 = arith.extf %4 : f32 to f64
//   %6 = arith.uitofp %m : i32 to f64
//   %7 = arith.constant 5.000000e-01 : f64
//   %8 = arith.mulf %6, %7 : f64
//   %9 = arith.addf %5, %8 : f64
//   func.return %9 : f64
// }
