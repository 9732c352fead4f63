// `malloc` makes memory of as many elements as fit; whether it gave any is no question.
#include <stdlib.h>
void f(unsigned long n) {
    double *t = malloc(n * sizeof *t);
    if (!t)
        return;
    t[0] = 1;
    free(t);
}

// MLIR
// func.func @f(%n: i64 {tl.name = "n"}) {
//   %0 = arith.constant 8 : i64
//   %1 = arith.muli %n, %0 : i64
//   %2 = arith.constant 8 : i64
//   %3 = arith.divui %1, %2 : i64
//   %4 = arith.index_cast %3 : i64 to index
//   %5 = memref.alloc(%4) : memref<?xf64>
//   %6 = arith.constant 0 : i64
//   %7 = arith.constant true
//   cf.cond_br %7, ^bb2, ^bb1
// ^bb1:
//   func.return
// ^bb2:
//   cf.br ^bb3
// ^bb3:
//   %8 = arith.constant 1 : i32
//   %9 = arith.sitofp %8 : i32 to f64
//   %10 = arith.constant 0 : i32
//   %11 = arith.extsi %10 : i32 to i64
//   %12 = arith.addi %6, %11 overflow<nsw> : i64
//   %13 = arith.index_cast %12 : i64 to index
//   memref.store %9, %5[%13] : memref<?xf64>
//   memref.dealloc %5 : memref<?xf64>
//   func.return
// }
