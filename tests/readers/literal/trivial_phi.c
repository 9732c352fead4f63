// What a loop does not change gets no argument.
int f(int n, int m) {
    while (n > m)
        n -= 2;
    return n + m;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %m: i32 {tl.name = "m"}) -> i32 {
//   cf.br ^bb1(%n : i32)
// ^bb1(%n_1: i32):
//   %0 = arith.cmpi sgt, %n_1, %m : i32
//   cf.cond_br %0, ^bb2, ^bb4
// ^bb2:
//   %1 = arith.constant 2 : i32
//   %n_2 = arith.subi %n_1, %1 overflow<nsw> : i32
//   cf.br ^bb3
// ^bb3:
//   cf.br ^bb1(%n_2 : i32)
// ^bb4:
//   %2 = arith.addi %n_1, %m overflow<nsw> : i32
//   func.return %2 : i32
// }
