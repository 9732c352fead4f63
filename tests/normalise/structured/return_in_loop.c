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
//   %2 = arith.constant 0 : i32
//   %3 = arith.constant 1 : i32
//   %4 = arith.addi %2, %3 overflow<nsw> : i32
//   %5 = arith.constant 0 : i32
//   %n_1, %left = "scf.while"(%n, %5) ({
//   ^bb0(%n_2: i32, %left_1: i32):
//     %6 = arith.constant 0 : i32
//     %7 = arith.cmpi sgt, %n_2, %6 : i32
//     scf.condition(%7) %n_2, %left_1 : i32, i32
//   }, {
//   ^bb0(%n_3: i32, %left_2: i32):
//     %8 = arith.subi %n, %n_3 overflow<nsw> : i32
//     %n_4 = arith.addi %4, %8 overflow<nsw> : i32
//     %9 = arith.constant 5 : i32
//     %10 = arith.cmpi eq, %n_4, %9 : i32
//     %11 = scf.if %10 -> (i32) {
//       %12 = arith.constant 1 : i32
//       scf.yield %12 : i32
//     } else {
//       scf.yield %1 : i32
//     }
//     %13 = arith.cmpi eq, %n_4, %9 : i32
//     %left_3 = scf.if %13 -> (i32) {
//       scf.yield %11 : i32
//     } else {
//       scf.yield %left_2 : i32
//     }
//     %14 = arith.constant -1 : i32
//     %15 = arith.addi %n_3, %14 overflow<nsw> : i32
//     scf.yield %15, %left_3 : i32, i32
//   }) {tl.left = {code = "TL114", message = "`return` leaves the loop early", remedy = "assign the result to a variable, and return it after the loop", loc = "f.c:5:13"}} : (i32, i32) -> (i32, i32)
//   func.return %left : i32
