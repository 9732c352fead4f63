// `x++` gives the old value, `++x` the new one.
int f(int n) {
    int a = n++;
    return a - --n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 1 : i32
//   %n_1 = arith.addi %n, %0 overflow<nsw> : i32
//   %1 = arith.constant 1 : i32
//   %n_2 = arith.subi %n_1, %1 overflow<nsw> : i32
//   %2 = arith.subi %n, %n_2 overflow<nsw> : i32
//   func.return %2 : i32
// }
