// A pointer is its memory and an offset; one that walks is an argument of the header.
double f(int n, const double *p) {
    const double *end = p + n;
    double s = 0;
    while (p < end)
        s += *p++;
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %p: memref<?xf64> {tl.name = "p"}, %p_at: i64 {tl.name = "p_at"}) -> f64 {
//   %0 = arith.extsi %n : i32 to i64
//   %end_at = arith.addi %p_at, %0 overflow<nsw> : i64
//   %1 = arith.constant 0 : i32
//   %s = arith.sitofp %1 : i32 to f64
//   cf.br ^bb1(%p_at, %s : i64, f64)
// ^bb1(%p_at_1: i64, %s_1: f64):
//   %2 = arith.cmpi slt, %p_at_1, %end_at : i64
//   cf.cond_br %2, ^bb2, ^bb4
// ^bb2:
//   %3 = arith.constant 1 : i64
//   %p_at_2 = arith.addi %p_at_1, %3 overflow<nsw> : i64
//   %4 = arith.index_cast %p_at_1 : i64 to index
//   %5 = memref.load %p[%4] : memref<?xf64>
//   %s_2 = arith.addf %s_1, %5 : f64
//   cf.br ^bb3
// ^bb3:
//   cf.br ^bb1(%p_at_2, %s_2 : i64, f64)
// ^bb4:
//   func.return %s_1 : f64
// }
