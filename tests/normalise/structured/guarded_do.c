// Where a branch around it says what the test would, a `do` needs no flag.
int f(int n) {
    int s = 0, i = 0;
    if (n > 0)
        do {
            s += i++;
        } while (i < n);
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.constant 0 : i32
//   %2 = arith.constant 0 : i32
//   %3 = arith.cmpi sgt, %n, %2 : i32
//   %s = scf.if %3 -> (i32) {
//     %i, %s_1 = scf.while (%i_1 = %1, %s_2 = %0) : (i32, i32) -> (i32, i32) {
//       %4 = arith.cmpi slt, %i_1, %n : i32
//       scf.condition(%4) %i_1, %s_2 : i32, i32
//     } do {
//     ^bb0(%i_2: i32, %s_3: i32):
//       %5 = arith.constant 1 : i32
//       %i_3 = arith.addi %i_2, %5 overflow<nsw> : i32
//       %s_4 = arith.addi %s_3, %i_2 overflow<nsw> : i32
//       scf.yield %i_3, %s_4 : i32, i32
//     }
//     scf.yield %s_1 : i32
//   } else {
//     scf.yield %0 : i32
//   }
//   func.return %s : i32
