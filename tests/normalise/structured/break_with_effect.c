// A loop that stores before it is left is no search: all of it stands in its first region.
void f(int n, int *a) {
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            break;
        a[i] = 1;
    }
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %0 = arith.constant false
//   %1 = ub.poison : i32
//   %2 = arith.constant 0 : i32
//   %3 = scf.while (%i = %2) : (i32) -> i32 {
//     %4 = arith.cmpi slt, %i, %n : i32
//     %5, %6 = scf.if %4 -> (i32, i1) {
//       %7 = arith.extsi %i : i32 to i64
//       %8 = arith.addi %a_at, %7 overflow<nsw> : i64
//       %9 = arith.index_cast %8 : i64 to index
//       %10 = memref.load %a[%9] : memref<?xi32>
//       %11 = arith.constant 0 : i32
//       %12 = arith.cmpi slt, %10, %11 : i32
//       %13 = scf.if %12 -> (i32) {
//         scf.yield %1 : i32
//       } else {
//         %14 = arith.constant 1 : i32
//         %15 = arith.extsi %i : i32 to i64
//         %16 = arith.addi %a_at, %15 overflow<nsw> : i64
//         %17 = arith.index_cast %16 : i64 to index
//         memref.store %14, %a[%17] : memref<?xi32>
//         %18 = arith.constant 1 : i32
//         %i_1 = arith.addi %i, %18 overflow<nsw> : i32
//         scf.yield %i_1 : i32
//       }
//       %19 = arith.cmpi sge, %10, %11 : i32
//       scf.yield %13, %19 : i32, i1
//     } else {
//       scf.yield %1, %0 : i32, i1
//     }
//     scf.condition(%6) %5 : i32
//   } do {
//   ^bb0(%20: i32):
//     scf.yield %20 : i32
//   }
//   func.return
