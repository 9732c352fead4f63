// Where a loop is left in several ways, a result tells which one it was.
int f(int n) {
    while (n > 0)
        if (n-- == 5)
            return 1;
    return 0;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant false
//   %1 = ub.poison : i32
//   %2, %3 = scf.while (%n_1 = %n) : (i32) -> (i32, i1) {
//     %4 = arith.constant 0 : i32
//     %5 = arith.cmpi sgt, %n_1, %4 : i32
//     %6, %7 = scf.if %5 -> (i32, i1) {
//       %8 = arith.constant 1 : i32
//       %n_2 = arith.subi %n_1, %8 overflow<nsw> : i32
//       %9 = arith.constant 5 : i32
//       %10 = arith.cmpi ne, %n_1, %9 : i32
//       scf.yield %n_2, %10 : i32, i1
//     } else {
//       scf.yield %1, %0 : i32, i1
//     }
//     scf.condition(%7) %6, %5 : i32, i1
//   } do {
//   ^bb0(%11: i32, %12: i1):
//     scf.yield %11 : i32
//   }
//   %13 = scf.if %3 -> (i32) {
//     %14 = arith.constant 1 : i32
//     scf.yield %14 : i32
//   } else {
//     %15 = arith.constant 0 : i32
//     scf.yield %15 : i32
//   }
//   func.return %13 : i32
