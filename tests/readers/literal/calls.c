// A function of the same file is called; a pointer is passed as its memory and its offset.
static double g(const double *a, int n) {
    return a[n];
}
double f(double *a) {
    return g(a + 1, 2);
}

// MLIR
// func.func @g(%a: memref<?xf64> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}, %n: i32 {tl.name = "n"}) -> f64 {
//   %0 = arith.extsi %n : i32 to i64
//   %1 = arith.addi %a_at, %0 overflow<nsw> : i64
//   %2 = arith.index_cast %1 : i64 to index
//   %3 = memref.load %a[%2] : memref<?xf64>
//   func.return %3 : f64
// }
// func.func @f(%a: memref<?xf64> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> f64 {
//   %0 = arith.constant 1 : i32
//   %1 = arith.extsi %0 : i32 to i64
//   %2 = arith.addi %a_at, %1 overflow<nsw> : i64
//   %3 = arith.constant 2 : i32
//   %4 = func.call @g(%a, %2, %3) : (memref<?xf64>, i64, i32) -> f64
//   func.return %4 : f64
// }
