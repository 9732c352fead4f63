// An `else` of two conditions is written once.
void f(int n, int *a) {
    if (n > 0 && a[n] > 0)
        a[0] = 1;
    else
        a[0] = 2;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %0 = arith.constant false
//   %1 = arith.constant 0 : i32
//   %2 = arith.cmpi sgt, %n, %1 : i32
//   %3 = scf.if %2 -> (i1) {
//     %4 = arith.extsi %n : i32 to i64
//     %5 = arith.addi %a_at, %4 overflow<nsw> : i64
//     %6 = arith.index_cast %5 : i64 to index
//     %7 = memref.load %a[%6] : memref<?xi32>
//     %8 = arith.constant 0 : i32
//     %9 = arith.cmpi sgt, %7, %8 : i32
//     scf.yield %9 : i1
//   } else {
//     scf.yield %0 : i1
//   }
//   scf.if %3 {
//     %10 = arith.constant 1 : i32
//     %11 = arith.constant 0 : i32
//     %12 = arith.extsi %11 : i32 to i64
//     %13 = arith.addi %a_at, %12 overflow<nsw> : i64
//     %14 = arith.index_cast %13 : i64 to index
//     memref.store %10, %a[%14] : memref<?xi32>
//   } else {
//     %15 = arith.constant 2 : i32
//     %16 = arith.constant 0 : i32
//     %17 = arith.extsi %16 : i32 to i64
//     %18 = arith.addi %a_at, %17 overflow<nsw> : i64
//     %19 = arith.index_cast %18 : i64 to index
//     memref.store %15, %a[%19] : memref<?xi32>
//   }
//   func.return
