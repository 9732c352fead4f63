#include <vector>

std::vector<double> positive(const std::vector<std::vector<double>> &rows, int k) {
    std::vector<double> kept;
    for (double x : rows[k]) {
        if (x > 0) {
            kept.push_back(x);
        }
    }
    return kept;
}

// MLIR
// func.func @positive(%rows: memref<?xf64> {tl.name = "rows"}, %rows_at: i64 {tl.name = "rows at"}, %rows_row: i64 {tl.name = "rows row"}, %k: i32 {tl.name = "k"}, %return: memref<?xf64> {tl.name = "return"}, %return_at: i64 {tl.name = "return at"}, %rows_0__size: i64 {tl.name = "rows[0].size()"}, %return_size: i64 {tl.name = "return.size()"}) {
//   %0 = arith.constant 0 : i64
//   %1 = arith.extsi %k : i32 to i64
//   %2 = arith.muli %1, %rows_row overflow<nsw> : i64
//   %3 = arith.addi %rows_at, %2 overflow<nsw> : i64
//   %4 = arith.constant 0 : i64
//   cf.br ^bb1(%4, %0 : i64, i64)
// ^bb1(%5: i64, %kept.size: i64):
//   %6 = arith.cmpi ne, %5, %rows_0__size : i64
//   cf.cond_br %6, ^bb2, ^bb7
// ^bb2:
//   %7 = arith.addi %3, %5 overflow<nsw> : i64
//   %8 = arith.index_cast %7 : i64 to index
//   %x = memref.load %rows[%8] : memref<?xf64>
//   %9 = arith.constant 0 : i32
//   %10 = arith.sitofp %9 : i32 to f64
//   %11 = arith.cmpf ogt, %x, %10 : f64
//   cf.cond_br %11, ^bb3, ^bb4
// ^bb3:
//   %12 = arith.addi %return_at, %kept.size overflow<nsw> : i64
//   %13 = arith.index_cast %12 : i64 to index
//   memref.store %x, %return[%13] : memref<?xf64>
//   %14 = arith.constant 1 : i64
//   %kept.size_1 = arith.addi %kept.size, %14 : i64
//   cf.br ^bb5(%kept.size_1 : i64)
// ^bb4:
//   cf.br ^bb5(%kept.size : i64)
// ^bb5(%kept.size_2: i64):
//   cf.br ^bb6
// ^bb6:
//   %15 = arith.constant 1 : i64
//   %16 = arith.addi %5, %15 overflow<nsw> : i64
//   cf.br ^bb1(%16, %kept.size_2 : i64, i64)
// ^bb7:
//   %17 = arith.cmpi eq, %kept.size, %return_size : i64
//   cf.assert %17, "kept has the size that the caller expects"
//   func.return
// }
