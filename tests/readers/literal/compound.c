// A compound assignment computes in the common type; its object is found once.
void f(int n, float *a) {
    a[n++] *= 0.1;
    a[n] += n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xf32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %0 = arith.constant 1.000000e-01 : f64
//   %1 = arith.constant 1 : i32
//   %2 = arith.addi %n, %1 overflow<nsw> : i32
//   %3 = arith.extsi %n : i32 to i64
//   %4 = arith.addi %a_at, %3 overflow<nsw> : i64
//   %5 = arith.index_cast %4 : i64 to index
//   %6 = memref.load %a[%5] : memref<?xf32>
//   %7 = arith.extf %6 : f32 to f64
//   %8 = arith.mulf %7, %0 : f64
//   %9 = arith.truncf %8 : f64 to f32
//   %10 = arith.index_cast %4 : i64 to index
//   memref.store %9, %a[%10] : memref<?xf32>
//   %11 = arith.sitofp %2 : i32 to f32
//   %12 = arith.extsi %2 : i32 to i64
//   %13 = arith.addi %a_at, %12 overflow<nsw> : i64
//   %14 = arith.index_cast %13 : i64 to index
//   %15 = memref.load %a[%14] : memref<?xf32>
//   %16 = arith.addf %15, %11 : f32
//   %17 = arith.index_cast %13 : i64 to index
//   memref.store %16, %a[%17] : memref<?xf32>
//   func.return
// }
