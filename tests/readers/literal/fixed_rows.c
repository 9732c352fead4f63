// Extents that are constants are constants.
void f(float a[3][4], int i) {
    float(*r)[4] = &a[1];
    r[i][2] = 1;
}

// MLIR
// func.func @f(%a: memref<?xf32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}, %i: i32 {tl.name = "i"}) {
//   %0 = arith.constant 1 : i32
//   %1 = arith.extsi %0 : i32 to i64
//   %2 = arith.constant 4 : i64
//   %3 = arith.muli %1, %2 overflow<nsw> : i64
//   %r_at = arith.addi %a_at, %3 overflow<nsw> : i64
//   %4 = arith.constant 1 : i32
//   %5 = arith.sitofp %4 : i32 to f32
//   %6 = arith.extsi %i : i32 to i64
//   %7 = arith.constant 4 : i64
//   %8 = arith.muli %6, %7 overflow<nsw> : i64
//   %9 = arith.addi %r_at, %8 overflow<nsw> : i64
//   %10 = arith.constant 2 : i32
//   %11 = arith.extsi %10 : i32 to i64
//   %12 = arith.addi %9, %11 overflow<nsw> : i64
//   %13 = arith.index_cast %12 : i64 to index
//   memref.store %5, %a[%13] : memref<?xf32>
//   func.return
// }
