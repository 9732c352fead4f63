// `&&`, `||` and `!` are branches in a condition.
void f(int n, int *a) {
    if (n > 0 && !(a[0] == 1 || a[1]))
        a[2] = n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %0 = arith.constant 0 : i32
//   %1 = arith.cmpi sgt, %n, %0 : i32
//   cf.cond_br %1, ^bb1, ^bb4
// ^bb1:
//   %2 = arith.constant 0 : i32
//   %3 = arith.extsi %2 : i32 to i64
//   %4 = arith.addi %a_at, %3 overflow<nsw> : i64
//   %5 = arith.index_cast %4 : i64 to index
//   %6 = memref.load %a[%5] : memref<?xi32>
//   %7 = arith.constant 1 : i32
//   %8 = arith.cmpi eq, %6, %7 : i32
//   cf.cond_br %8, ^bb4, ^bb2
// ^bb2:
//   %9 = arith.constant 1 : i32
//   %10 = arith.extsi %9 : i32 to i64
//   %11 = arith.addi %a_at, %10 overflow<nsw> : i64
//   %12 = arith.index_cast %11 : i64 to index
//   %13 = memref.load %a[%12] : memref<?xi32>
//   %14 = arith.constant 0 : i32
//   %15 = arith.cmpi ne, %13, %14 : i32
//   cf.cond_br %15, ^bb4, ^bb3
// ^bb3:
//   %16 = arith.constant 2 : i32
//   %17 = arith.extsi %16 : i32 to i64
//   %18 = arith.addi %a_at, %17 overflow<nsw> : i64
//   %19 = arith.index_cast %18 : i64 to index
//   memref.store %n, %a[%19] : memref<?xi32>
//   cf.br ^bb5
// ^bb4:
//   cf.br ^bb5
// ^bb5:
//   func.return
// }
