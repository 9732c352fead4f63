#include <algorithm>
#include <vector>

struct Line {
    double slope, start;
    double at(int x) const { return slope * x + start; }
};

void sampled(const Line &line, std::vector<double> &out, double least) {
    for (int i = 0; i < 9; i++) {
        out[i] = std::max(line.at(i), least);
    }
}

// MLIR
// func.func @sampled(%out: memref<?xf64> {tl.name = "out"}, %out_at: i64 {tl.name = "out at"}, %least: f64 {tl.name = "least"}, %line_slope: f64 {tl.name = "line.slope"}, %line_start: f64 {tl.name = "line.start"}) {
//   %0 = arith.constant 0 : i32
//   cf.br ^bb1(%0 : i32)
// ^bb1(%i: i32):
//   %1 = arith.constant 9 : i32
//   %2 = arith.cmpi slt, %i, %1 : i32
//   cf.cond_br %2, ^bb2, ^bb7
// ^bb2:
//   %3 = arith.sitofp %i : i32 to f64
//   %4 = arith.mulf %line_slope, %3 : f64
//   %5 = arith.addf %4, %line_start : f64
//   %6 = arith.cmpf olt, %5, %least : f64
//   cf.cond_br %6, ^bb3, ^bb4
// ^bb3:
//   cf.br ^bb5(%least : f64)
// ^bb4:
//   cf.br ^bb5(%5 : f64)
// ^bb5(%7: f64):
//   %8 = arith.extsi %i : i32 to i64
//   %9 = arith.addi %out_at, %8 overflow<nsw> : i64
//   %10 = arith.index_cast %9 : i64 to index
//   memref.store %7, %out[%10] : memref<?xf64>
//   cf.br ^bb6
// ^bb6:
//   %11 = arith.constant 1 : i32
//   %i_1 = arith.addi %i, %11 overflow<nsw> : i32
//   cf.br ^bb1(%i_1 : i32)
// ^bb7:
//   func.return
// }
