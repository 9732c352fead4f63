// A loop that nothing reaches has no entry; a jump into a loop gives it one, and that edge may come last.
int f(int n) {
    int s = 0;
    goto into;
    while (n > 0) {
    into:
        s += n--;
    }
    return s;
    do
        s--;
    while (s > n);
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   cf.br ^bb3(%n, %0 : i32, i32)
// ^bb1:
//   %1 = arith.constant 0 : i32
//   %2 = arith.cmpi sgt, %n_1, %1 : i32
//   cf.cond_br %2, ^bb2, ^bb5
// ^bb2:
//   cf.br ^bb3(%n_1, %s : i32, i32)
// ^bb3(%n_2: i32, %s_1: i32):
//   %3 = arith.constant 1 : i32
//   %n_1 = arith.subi %n_2, %3 overflow<nsw> : i32
//   %s = arith.addi %s_1, %n_2 overflow<nsw> : i32
//   cf.br ^bb4
// ^bb4:
//   cf.br ^bb1
// ^bb5:
//   func.return %s : i32
// }
