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
//   %t = memref.alloc(%4) : memref<?xf64>
//   %5 = arith.constant 0 : i64
//   %6 = arith.constant false
//   %7 = arith.constant true
//   %8 = arith.xori %6, %7 : i1
//   cf.cond_br %8, ^bb2, ^bb1
// ^bb1:
//   func.return
// ^bb2:
//   cf.br ^bb3
// ^bb3:
//   %9 = arith.constant 1 : i32
//   %10 = arith.sitofp %9 : i32 to f64
//   %11 = arith.constant 0 : i32
//   %12 = arith.extsi %11 : i32 to i64
//   %13 = arith.addi %5, %12 overflow<nsw> : i64
//   %14 = arith.index_cast %13 : i64 to index
//   memref.store %10, %t[%14] : memref<?xf64>
//   memref.dealloc %t : memref<?xf64>
//   func.return
// }
