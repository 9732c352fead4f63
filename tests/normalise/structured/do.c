// The test of a `do` is asked first, of what goes round; a flag says which iteration is the first.
int f(int n) {
    int s = 0;
    do {
        s += n--;
    } while (n > 0);
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.constant true
//   %2 = arith.constant false
//   %n_1, %s, %3 = scf.while (%n_2 = %n, %s_1 = %0, %4 = %1) : (i32, i32, i1) -> (i32, i32, i1) {
//     %5 = arith.constant 0 : i32
//     %6 = arith.cmpi sgt, %n_2, %5 : i32
//     %7 = arith.select %4, %1, %6 : i1
//     scf.condition(%7) %n_2, %s_1, %4 : i32, i32, i1
//   } do {
//   ^bb0(%n_3: i32, %s_2: i32, %8: i1):
//     %9 = arith.constant 1 : i32
//     %n_4 = arith.subi %n_3, %9 overflow<nsw> : i32
//     %s_3 = arith.addi %s_2, %n_3 overflow<nsw> : i32
//     scf.yield %n_4, %s_3, %2 : i32, i32, i1
//   }
//   func.return %s : i32
