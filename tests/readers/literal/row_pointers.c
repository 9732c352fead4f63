// A table of row pointers is the memory of all rows, an offset, and the distance between rows.
static double at(double **a, int i, int j) {
    return a[i][j];
}

double f(double **a, int i) {
    const double *row = *(a + i);
    return row[1] + at(a, i, 2);
}

// MLIR
// func.func @at(%a: memref<?xf64> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}, %a_row: i64 {tl.name = "a row"}, %i: i32 {tl.name = "i"}, %j: i32 {tl.name = "j"}) -> f64 {
//   %0 = arith.extsi %i : i32 to i64
//   %1 = arith.muli %0, %a_row overflow<nsw> : i64
//   %2 = arith.addi %a_at, %1 overflow<nsw> : i64
//   %3 = arith.extsi %j : i32 to i64
//   %4 = arith.addi %2, %3 overflow<nsw> : i64
//   %5 = arith.index_cast %4 : i64 to index
//   %6 = memref.load %a[%5] : memref<?xf64>
//   func.return %6 : f64
// }
// func.func @f(%a: memref<?xf64> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}, %a_row: i64 {tl.name = "a row"}, %i: i32 {tl.name = "i"}) -> f64 {
//   %0 = arith.extsi %i : i32 to i64
//   %1 = arith.muli %0, %a_row overflow<nsw> : i64
//   %row_at = arith.addi %a_at, %1 overflow<nsw> : i64
//   %2 = arith.constant 1 : i32
//   %3 = arith.extsi %2 : i32 to i64
//   %4 = arith.addi %row_at, %3 overflow<nsw> : i64
//   %5 = arith.index_cast %4 : i64 to index
//   %6 = memref.load %a[%5] : memref<?xf64>
//   %7 = arith.constant 2 : i32
//   %8 = func.call @at(%a, %a_at, %a_row, %i, %7) : (memref<?xf64>, i64, i64, i32, i32) -> f64
//   %9 = arith.addf %6, %8 : f64
//   func.return %9 : f64
// }
