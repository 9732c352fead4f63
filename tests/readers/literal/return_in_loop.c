// A function may return in many places.
int f(int n) {
    while (n > 0)
        if (n-- == 5)
            return 1;
    return 0;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   cf.br ^bb1(%n : i32)
// ^bb1(%n_1: i32):
//   %0 = arith.constant 0 : i32
//   %1 = arith.cmpi sgt, %n_1, %0 : i32
//   cf.cond_br %1, ^bb2, ^bb7
// ^bb2:
//   %2 = arith.constant 1 : i32
//   %n_2 = arith.subi %n_1, %2 overflow<nsw> : i32
//   %3 = arith.constant 5 : i32
//   %4 = arith.cmpi eq, %n_1, %3 : i32
//   cf.cond_br %4, ^bb3, ^bb4
// ^bb3:
//   %5 = arith.constant 1 : i32
//   func.return %5 : i32
// ^bb4:
//   cf.br ^bb5
// ^bb5:
//   cf.br ^bb6
// ^bb6:
//   cf.br ^bb1(%n_2 : i32)
// ^bb7:
//   %6 = arith.constant 0 : i32
//   func.return %6 : i32
// }
