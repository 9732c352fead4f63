// A compound assignment computes in the common type; its object is found once.
void f(int n, float *a) {
    a[n++] *= 0.1;
    a[n] += n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xf32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %0 = arith.constant 1.000000e-01 : f64
//   %1 = arith.constant 1 : i32
//   %n_1 = arith.addi %n, %1 overflow<nsw> : i32
//   %2 = arith.extsi %n : i32 to i64
//   %3 = arith.addi %a_at, %2 overflow<nsw> : i64
//   %4 = arith.index_cast %3 : i64 to index
//   %5 = memref.load %a[%4] : memref<?xf32>
//   %6 = arith.extf %5 : f32 to f64
//   %7 = arith.mulf %6, %0 : f64
//   %8 = arith.truncf %7 : f64 to f32
//   %9 = arith.index_cast %3 : i64 to index
//   memref.store %8, %a[%9] : memref<?xf32>
//   %10 = arith.sitofp %n_1 : i32 to f32
//   %11 = arith.extsi %n_1 : i32 to i64
//   %12 = arith.addi %a_at, %11 overflow<nsw> : i64
//   %13 = arith.index_cast %12 : i64 to index
//   %14 = memref.load %a[%13] : memref<?xf32>
//   %15 = arith.addf %14, %10 : f32
//   %16 = arith.index_cast %12 : i64 to index
//   memref.store %15, %a[%16] : memref<?xf32>
//   func.return
// }
