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
//   %4 = arith.addi %a_at, %3 overflow<nsw> : i64
//   %5 = arith.constant 1 : i32
//   %6 = arith.sitofp %5 : i32 to f32
//   %7 = arith.extsi %i : i32 to i64
//   %8 = arith.constant 4 : i64
//   %9 = arith.muli %7, %8 overflow<nsw> : i64
//   %10 = arith.addi %4, %9 overflow<nsw> : i64
//   %11 = arith.constant 2 : i32
//   %12 = arith.extsi %11 : i32 to i64
//   %13 = arith.addi %10, %12 overflow<nsw> : i64
//   %14 = arith.index_cast %13 : i64 to index
//   memref.store %6, %a[%14] : memref<?xf32>
//   func.return
// }
