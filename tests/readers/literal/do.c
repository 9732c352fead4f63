// The condition of a `do` stands in the block of its `continue`.
int f(int n) {
    do {
        if (n == 3)
            continue;
        n--;
    } while (n > 0);
    return n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   cf.br ^bb1(%n : i32)
// ^bb1(%n_1: i32):
//   %0 = arith.constant 3 : i32
//   %1 = arith.cmpi eq, %n_1, %0 : i32
//   cf.cond_br %1, ^bb2, ^bb3
// ^bb2:
//   cf.br ^bb5(%n_1 : i32)
// ^bb3:
//   cf.br ^bb4
// ^bb4:
//   %2 = arith.constant 1 : i32
//   %n_2 = arith.subi %n_1, %2 overflow<nsw> : i32
//   cf.br ^bb5(%n_2 : i32)
// ^bb5(%n_3: i32):
//   %3 = arith.constant 0 : i32
//   %4 = arith.cmpi sgt, %n_3, %3 : i32
//   cf.cond_br %4, ^bb1(%n_3 : i32), ^bb6
// ^bb6:
//   func.return %n_3 : i32
// }
