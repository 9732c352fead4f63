// Unsigned arithmetic wraps, and its division, shift, remainder and order are those of unsigned numbers.
unsigned f(unsigned n, unsigned m) {
    return (n + 1) * 2 / m % 7 + (n >> 1) + (n < m);
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %m: i32 {tl.name = "m"}) -> i32 {
//   %0 = arith.constant 1 : i32
//   %1 = arith.addi %n, %0 : i32
//   %2 = arith.constant 2 : i32
//   %3 = arith.muli %1, %2 : i32
//   %4 = arith.divui %3, %m : i32
//   %5 = arith.constant 7 : i32
//   %6 = arith.remui %4, %5 : i32
//   %7 = arith.constant 1 : i32
//   %8 = arith.shrui %n, %7 : i32
//   %9 = arith.addi %6, %8 : i32
//   %10 = arith.cmpi ult, %n, %m : i32
//   %11 = arith.extui %10 : i1 to i32
//   %12 = arith.addi %9, %11 : i32
//   func.return %12 : i32
// }
