// A loop may have two entries; whether that is lifted is not the reader's matter.
int f(int n) {
    if (n > 2)
        goto inside;
    while (n < 100) {
        n += 3;
    inside:
        n *= 2;
    }
    return n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 2 : i32
//   %1 = arith.cmpi sgt, %n, %0 : i32
//   cf.cond_br %1, ^bb1, ^bb2
// ^bb1:
//   cf.br ^bb6(%n : i32)
// ^bb2:
//   cf.br ^bb3
// ^bb3:
//   cf.br ^bb4(%n : i32)
// ^bb4(%n_1: i32):
//   %2 = arith.constant 100 : i32
//   %3 = arith.cmpi slt, %n_1, %2 : i32
//   cf.cond_br %3, ^bb5, ^bb8
// ^bb5:
//   %4 = arith.constant 3 : i32
//   %n_2 = arith.addi %n_1, %4 overflow<nsw> : i32
//   cf.br ^bb6(%n_2 : i32)
// ^bb6(%n_3: i32):
//   %5 = arith.constant 2 : i32
//   %n_4 = arith.muli %n_3, %5 overflow<nsw> : i32
//   cf.br ^bb7
// ^bb7:
//   cf.br ^bb4(%n_4 : i32)
// ^bb8:
//   func.return %n_1 : i32
// }
