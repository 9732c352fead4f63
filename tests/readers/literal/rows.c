// An array of arrays is flat memory, with the strides that the source declares.
double f(int n, int m, double a[n][m], int i, int j) {
    return a[i][j];
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %m: i32 {tl.name = "m"}, %a: memref<?xf64> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}, %i: i32 {tl.name = "i"}, %j: i32 {tl.name = "j"}) -> f64 {
//   %0 = arith.extsi %m : i32 to i64
//   %1 = arith.extsi %i : i32 to i64
//   %2 = arith.muli %1, %0 overflow<nsw> : i64
//   %3 = arith.addi %a_at, %2 overflow<nsw> : i64
//   %4 = arith.extsi %j : i32 to i64
//   %5 = arith.addi %3, %4 overflow<nsw> : i64
//   %6 = arith.index_cast %5 : i64 to index
//   %7 = memref.load %a[%6] : memref<?xf64>
//   func.return %7 : f64
// }
