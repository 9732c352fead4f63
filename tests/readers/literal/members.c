// The members that are used are arguments: a number as it is, a pointer as its memory and an offset.
struct matrix {
    int rows, cols, unused;
    double *cells;
};

double f(const struct matrix *m, int i, int j) {
    return i < m->rows ? m->cells[i * m->cols + j] : 0;
}

// MLIR
// func.func @f(%m_rows: i32 {tl.name = "m->rows"}, %m_cols: i32 {tl.name = "m->cols"}, %m_cells: memref<?xf64> {tl.name = "m->cells"}, %m_cells_at: i64 {tl.name = "m_cells_at"}, %i: i32 {tl.name = "i"}, %j: i32 {tl.name = "j"}) -> f64 {
//   %0 = arith.cmpi slt, %i, %m_rows : i32
//   cf.cond_br %0, ^bb1, ^bb2
// ^bb1:
//   %1 = arith.muli %i, %m_cols overflow<nsw> : i32
//   %2 = arith.addi %1, %j overflow<nsw> : i32
//   %3 = arith.extsi %2 : i32 to i64
//   %4 = arith.addi %m_cells_at, %3 overflow<nsw> : i64
//   %5 = arith.index_cast %4 : i64 to index
//   %6 = memref.load %m_cells[%5] : memref<?xf64>
//   cf.br ^bb3(%6 : f64)
// ^bb2:
//   %7 = arith.constant 0 : i32
//   %8 = arith.sitofp %7 : i32 to f64
//   cf.br ^bb3(%8 : f64)
// ^bb3(%9: f64):
//   func.return %9 : f64
// }
