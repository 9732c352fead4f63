// Only one arm of `?:` is evaluated.
double f(int n, const double *a) {
    return n > 0 ? a[n] : 0;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xf64> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> f64 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.cmpi sgt, %n, %0 : i32
//   cf.cond_br %1, ^bb1, ^bb2
// ^bb1:
//   %2 = arith.extsi %n : i32 to i64
//   %3 = arith.addi %a_at, %2 overflow<nsw> : i64
//   %4 = arith.index_cast %3 : i64 to index
//   %5 = memref.load %a[%4] : memref<?xf64>
//   cf.br ^bb3(%5 : f64)
// ^bb2:
//   %6 = arith.constant 0 : i32
//   %7 = arith.sitofp %6 : i32 to f64
//   cf.br ^bb3(%7 : f64)
// ^bb3(%8: f64):
//   func.return %8 : f64
// }
