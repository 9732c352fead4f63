// A `while` has an advance that does nothing.
unsigned f(unsigned n) {
    while (n > 9)
        n /= 2;
    return n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   cf.br ^bb1(%n : i32)
// ^bb1(%n_1: i32):
//   %0 = arith.constant 9 : i32
//   %1 = arith.cmpi ugt, %n_1, %0 : i32
//   cf.cond_br %1, ^bb2, ^bb4
// ^bb2:
//   %2 = arith.constant 2 : i32
//   %n_2 = arith.divui %n_1, %2 : i32
//   cf.br ^bb3
// ^bb3:
//   cf.br ^bb1(%n_2 : i32)
// ^bb4:
//   func.return %n_1 : i32
// }
