// An amount of another width keeps being too large.
int f(int n, long k, char c) {
    return n << k >> c;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %k: i64 {tl.name = "k"}, %c: i8 {tl.name = "c"}) -> i32 {
//   %0 = arith.constant 32 : i64
//   %1 = arith.minui %k, %0 : i64
//   %2 = arith.trunci %1 : i64 to i32
//   %3 = arith.shli %n, %2 overflow<nsw> : i32
//   %4 = arith.extsi %c : i8 to i32
//   %5 = arith.shrsi %3, %4 : i32
//   func.return %5 : i32
// }
