// Tests that have no effect are asked at once, and so is each of two bounds of which the smaller one is meant.
void f(int n, int m, int *a) {
    for (int i = 0; i < n && i < m; i++)
        a[i] = 1;
    for (int i = 0; i < (n < m ? n : m); i++)
        a[i] = 2;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %m: i32 {tl.name = "m"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %0 = arith.constant 0 : i32
//   %i = scf.while (%i_1 = %0) : (i32) -> i32 {
//     %1 = arith.cmpi slt, %i_1, %n : i32
//     %2 = arith.cmpi slt, %i_1, %m : i32
//     %3 = arith.andi %1, %2 : i1
//     scf.condition(%3) %i_1 : i32
//   } do {
//   ^bb0(%i_2: i32):
//     %4 = arith.constant 1 : i32
//     %5 = arith.extsi %i_2 : i32 to i64
//     %6 = arith.addi %a_at, %5 overflow<nsw> : i64
//     %7 = arith.index_cast %6 : i64 to index
//     memref.store %4, %a[%7] : memref<?xi32>
//     %8 = arith.constant 1 : i32
//     %i_3 = arith.addi %i_2, %8 overflow<nsw> : i32
//     scf.yield %i_3 : i32
//   }
//   %9 = arith.constant 0 : i32
//   %i_4 = scf.while (%i_5 = %9) : (i32) -> i32 {
//     %10 = arith.cmpi slt, %i_5, %n : i32
//     %11 = arith.cmpi slt, %i_5, %m : i32
//     %12 = arith.andi %10, %11 : i1
//     scf.condition(%12) %i_5 : i32
//   } do {
//   ^bb0(%i_6: i32):
//     %13 = arith.constant 2 : i32
//     %14 = arith.extsi %i_6 : i32 to i64
//     %15 = arith.addi %a_at, %14 overflow<nsw> : i64
//     %16 = arith.index_cast %15 : i64 to index
//     memref.store %13, %a[%16] : memref<?xi32>
//     %17 = arith.constant 1 : i32
//     %i_7 = arith.addi %i_6, %17 overflow<nsw> : i32
//     scf.yield %i_7 : i32
//   }
//   func.return
