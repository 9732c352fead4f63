// A short end of several ways is written for each of them, where it would need a flag.
int f(int n, const int *a) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0) {
            if (a[i] < -4)
                continue;
            s += 1;
        }
        s += a[i];
    }
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.constant 0 : i32
//   %i, %s = scf.while (%i_1 = %1, %s_1 = %0) : (i32, i32) -> (i32, i32) {
//     %2 = arith.cmpi slt, %i_1, %n : i32
//     scf.condition(%2) %i_1, %s_1 : i32, i32
//   } do {
//   ^bb0(%i_2: i32, %s_2: i32):
//     %3 = arith.extsi %i_2 : i32 to i64
//     %4 = arith.addi %a_at, %3 overflow<nsw> : i64
//     %5 = arith.index_cast %4 : i64 to index
//     %6 = memref.load %a[%5] : memref<?xi32>
//     %7 = arith.constant 0 : i32
//     %8 = arith.cmpi slt, %6, %7 : i32
//     %s_3 = scf.if %8 -> (i32) {
//       %9 = arith.extsi %i_2 : i32 to i64
//       %10 = arith.addi %a_at, %9 overflow<nsw> : i64
//       %11 = arith.index_cast %10 : i64 to index
//       %12 = memref.load %a[%11] : memref<?xi32>
//       %13 = arith.constant 4 : i32
//       %14 = arith.constant 0 : i32
//       %15 = arith.subi %14, %13 overflow<nsw> : i32
//       %16 = arith.cmpi slt, %12, %15 : i32
//       %17 = scf.if %16 -> (i32) {
//         scf.yield %s_2 : i32
//       } else {
//         %18 = arith.constant 1 : i32
//         %s_4 = arith.addi %s_2, %18 overflow<nsw> : i32
//         %19 = arith.extsi %i_2 : i32 to i64
//         %20 = arith.addi %a_at, %19 overflow<nsw> : i64
//         %21 = arith.index_cast %20 : i64 to index
//         %22 = memref.load %a[%21] : memref<?xi32>
//         %s_5 = arith.addi %s_4, %22 overflow<nsw> : i32
//         scf.yield %s_5 : i32
//       }
//       scf.yield %17 : i32
//     } else {
//       %23 = arith.extsi %i_2 : i32 to i64
//       %24 = arith.addi %a_at, %23 overflow<nsw> : i64
//       %25 = arith.index_cast %24 : i64 to index
//       %26 = memref.load %a[%25] : memref<?xi32>
//       %s_6 = arith.addi %s_2, %26 overflow<nsw> : i32
//       scf.yield %s_6 : i32
//     }
//     %27 = arith.constant 1 : i32
//     %i_3 = arith.addi %i_2, %27 overflow<nsw> : i32
//     scf.yield %i_3, %s_3 : i32, i32
//   }
//   func.return %s : i32
