// A local array is made where it is declared; a list fills what it does not name with zeros.
int f(int n) {
    int a[n], b[2] = {7};
    a[0] = b[1];
    return a[0];
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.extsi %n : i32 to i64
//   %1 = arith.index_cast %0 : i64 to index
//   %2 = memref.alloca(%1) : memref<?xi32>
//   %3 = arith.constant 0 : i64
//   %4 = arith.constant 2 : i64
//   %5 = arith.index_cast %4 : i64 to index
//   %6 = memref.alloca(%5) : memref<?xi32>
//   %7 = arith.constant 0 : i64
//   %8 = arith.constant 0 : i32
//   %9 = arith.constant 0 : i64
//   cf.br ^bb1(%9 : i64)
// ^bb1(%10: i64):
//   %11 = arith.cmpi ult, %10, %4 : i64
//   cf.cond_br %11, ^bb2, ^bb3
// ^bb2:
//   %12 = arith.addi %7, %10 overflow<nsw> : i64
//   %13 = arith.index_cast %12 : i64 to index
//   memref.store %8, %6[%13] : memref<?xi32>
//   %14 = arith.constant 1 : i64
//   %15 = arith.addi %10, %14 overflow<nsw> : i64
//   cf.br ^bb1(%15 : i64)
// ^bb3:
//   %16 = arith.constant 0 : i64
//   %17 = arith.constant 7 : i32
//   %18 = arith.index_cast %16 : i64 to index
//   memref.store %17, %6[%18] : memref<?xi32>
//   %19 = arith.constant 1 : i32
//   %20 = arith.extsi %19 : i32 to i64
//   %21 = arith.addi %7, %20 overflow<nsw> : i64
//   %22 = arith.index_cast %21 : i64 to index
//   %23 = memref.load %6[%22] : memref<?xi32>
//   %24 = arith.constant 0 : i32
//   %25 = arith.extsi %24 : i32 to i64
//   %26 = arith.addi %3, %25 overflow<nsw> : i64
//   %27 = arith.index_cast %26 : i64 to index
//   memref.store %23, %2[%27] : memref<?xi32>
//   %28 = arith.constant 0 : i32
//   %29 = arith.extsi %28 : i32 to i64
//   %30 = arith.addi %3, %29 overflow<nsw> : i64
//   %31 = arith.index_cast %30 : i64 to index
//   %32 = memref.load %2[%31] : memref<?xi32>
//   func.return %32 : i32
// }
