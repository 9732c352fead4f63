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
//   %2 = arith.subi %n_1, %1 overflow<nsw> : i32
//   %3 = arith.addi %s, %n_1 overflow<nsw> : i32
//   %4 = arith.constant 0 : i32
//   %5 = arith.cmpi sgt, %2, %4 : i32
//   cf.cond_br %5, ^bb2, ^bb3
// ^bb2:
//   cf.br ^bb1(%2, %3 : i32, i32)
// ^bb3:
//   cf.br ^bb4
// ^bb4:
//   func.return %3 : i32
// }
