// A loop with another exit has all of itself in its first region.
int f(int n, const int *a) {
    int i;
    for (i = 0; i < n; i++)
        if (a[i] < 0)
            break;
    return i;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> i32 {
//   %0 = arith.constant false
//   %1 = ub.poison : i32
//   %2 = ub.poison : i32
//   %3 = arith.constant 0 : i32
//   %4, %i = scf.while (%i_1 = %3) : (i32) -> (i32, i32) {
//     %5 = arith.cmpi slt, %i_1, %n : i32
//     %6, %7 = scf.if %5 -> (i32, i1) {
//       %8 = arith.extsi %i_1 : i32 to i64
//       %9 = arith.addi %a_at, %8 overflow<nsw> : i64
//       %10 = arith.index_cast %9 : i64 to index
//       %11 = memref.load %a[%10] : memref<?xi32>
//       %12 = arith.constant 0 : i32
//       %13 = arith.cmpi slt, %11, %12 : i32
//       %14 = scf.if %13 -> (i32) {
//         scf.yield %1 : i32
//       } else {
//         %15 = arith.constant 1 : i32
//         %i_2 = arith.addi %i_1, %15 overflow<nsw> : i32
//         scf.yield %i_2 : i32
//       }
//       %16 = arith.cmpi sge, %11, %12 : i32
//       scf.yield %14, %16 : i32, i1
//     } else {
//       scf.yield %1, %0 : i32, i1
//     }
//     scf.condition(%7) %6, %i_1 : i32, i32
//   } do {
//   ^bb0(%17: i32, %i_3: i32):
//     scf.yield %17 : i32
//   }
//   func.return %i : i32
