// `x++` gives the old value, `++x` the new one.
int f(int n) {
    int a = n++;
    return a - --n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 1 : i32
//   %1 = arith.addi %n, %0 overflow<nsw> : i32
//   %2 = arith.constant 1 : i32
//   %3 = arith.subi %1, %2 overflow<nsw> : i32
//   %4 = arith.subi %n, %3 overflow<nsw> : i32
//   func.return %4 : i32
// }
