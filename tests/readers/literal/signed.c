// Overflow of signed arithmetic is undefined.
int f(int n, long m) {
    return (n + 1) * 2 - (int)(m << 3);
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %m: i64 {tl.name = "m"}) -> i32 {
//   %0 = arith.constant 1 : i32
//   %1 = arith.addi %n, %0 overflow<nsw> : i32
//   %2 = arith.constant 2 : i32
//   %3 = arith.muli %1, %2 overflow<nsw> : i32
//   %4 = arith.constant 3 : i32
//   %5 = arith.extsi %4 : i32 to i64
//   %6 = arith.shli %m, %5 overflow<nsw> : i64
//   %7 = arith.trunci %6 : i64 to i32
//   %8 = arith.subi %3, %7 overflow<nsw> : i32
//   func.return %8 : i32
// }
