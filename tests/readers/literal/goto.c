// A label begins a block, which is sealed when the function is read.
int f(int n) {
    int s = 0;
again:
    s += n--;
    if (n > 0)
        goto again;
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   cf.br ^bb1(%n, %0 : i32, i32)
// ^bb1(%n_1: i32, %s: i32):
//   %1 = arith.constant 1 : i32
//   %n_2 = arith.subi %n_1, %1 overflow<nsw> : i32
//   %s_1 = arith.addi %s, %n_1 overflow<nsw> : i32
//   %2 = arith.constant 0 : i32
//   %3 = arith.cmpi sgt, %n_2, %2 : i32
//   cf.cond_br %3, ^bb2, ^bb3
// ^bb2:
//   cf.br ^bb1(%n_2, %s_1 : i32, i32)
// ^bb3:
//   cf.br ^bb4
// ^bb4:
//   func.return %s_1 : i32
// }
