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
//   %a = memref.alloca(%1) : memref<?xi32>
//   %2 = arith.constant 0 : i64
//   %3 = arith.constant 2 : i64
//   %4 = arith.index_cast %3 : i64 to index
//   %b = memref.alloca(%4) : memref<?xi32>
//   %5 = arith.constant 0 : i64
//   %6 = arith.constant 0 : i32
//   %7 = arith.constant 0 : i64
//   cf.br ^bb1(%7 : i64)
// ^bb1(%8: i64):
//   %9 = arith.cmpi ult, %8, %3 : i64
//   cf.cond_br %9, ^bb2, ^bb3
// ^bb2:
//   %10 = arith.addi %5, %8 overflow<nsw> : i64
//   %11 = arith.index_cast %10 : i64 to index
//   memref.store %6, %b[%11] : memref<?xi32>
//   %12 = arith.constant 1 : i64
//   %13 = arith.addi %8, %12 overflow<nsw> : i64
//   cf.br ^bb1(%13 : i64)
// ^bb3:
//   %14 = arith.constant 0 : i64
//   %15 = arith.constant 7 : i32
//   %16 = arith.index_cast %14 : i64 to index
//   memref.store %15, %b[%16] : memref<?xi32>
//   %17 = arith.constant 1 : i32
//   %18 = arith.extsi %17 : i32 to i64
//   %19 = arith.addi %5, %18 overflow<nsw> : i64
//   %20 = arith.index_cast %19 : i64 to index
//   %21 = memref.load %b[%20] : memref<?xi32>
//   %22 = arith.constant 0 : i32
//   %23 = arith.extsi %22 : i32 to i64
//   %24 = arith.addi %2, %23 overflow<nsw> : i64
//   %25 = arith.index_cast %24 : i64 to index
//   memref.store %21, %a[%25] : memref<?xi32>
//   %26 = arith.constant 0 : i32
//   %27 = arith.extsi %26 : i32 to i64
//   %28 = arith.addi %2, %27 overflow<nsw> : i64
//   %29 = arith.index_cast %28 : i64 to index
//   %30 = memref.load %a[%29] : memref<?xi32>
//   func.return %30 : i32
// }
