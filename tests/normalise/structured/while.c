// A loop that its header leaves tests in its first region.
double f(int n, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            s += a[i];
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xf64> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> f64 {
//   %0 = arith.constant 0 : i32
//   %s = arith.sitofp %0 : i32 to f64
//   %1 = arith.constant 0 : i32
//   %i, %s_1 = scf.while (%i_1 = %1, %s_2 = %s) : (i32, f64) -> (i32, f64) {
//     %2 = arith.cmpi slt, %i_1, %n : i32
//     scf.condition(%2) %i_1, %s_2 : i32, f64
//   } do {
//   ^bb0(%i_2: i32, %s_3: f64):
//     %3 = arith.extsi %i_2 : i32 to i64
//     %4 = arith.addi %a_at, %3 overflow<nsw> : i64
//     %5 = arith.index_cast %4 : i64 to index
//     %6 = memref.load %a[%5] : memref<?xf64>
//     %7 = arith.constant 0 : i32
//     %8 = arith.sitofp %7 : i32 to f64
//     %9 = arith.cmpf ogt, %6, %8 : f64
//     %s_4 = scf.if %9 -> (f64) {
//       %10 = arith.extsi %i_2 : i32 to i64
//       %11 = arith.addi %a_at, %10 overflow<nsw> : i64
//       %12 = arith.index_cast %11 : i64 to index
//       %13 = memref.load %a[%12] : memref<?xf64>
//       %s_5 = arith.addf %s_3, %13 : f64
//       scf.yield %s_5 : f64
//     } else {
//       scf.yield %s_3 : f64
//     }
//     %14 = arith.constant 1 : i32
//     %i_3 = arith.addi %i_2, %14 overflow<nsw> : i32
//     scf.yield %i_3, %s_4 : i32, f64
//   }
//   func.return %s_1 : f64
