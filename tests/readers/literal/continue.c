// `continue` is a jump to the advance.
int f(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            continue;
        s += i;
    }
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.constant 0 : i32
//   cf.br ^bb1(%1, %0 : i32, i32)
// ^bb1(%i: i32, %s: i32):
//   %2 = arith.cmpi slt, %i, %n : i32
//   cf.cond_br %2, ^bb2, ^bb7
// ^bb2:
//   %3 = arith.constant 1 : i32
//   %4 = arith.andi %i, %3 : i32
//   %5 = arith.constant 0 : i32
//   %6 = arith.cmpi ne, %4, %5 : i32
//   cf.cond_br %6, ^bb3, ^bb4
// ^bb3:
//   cf.br ^bb6(%s : i32)
// ^bb4:
//   cf.br ^bb5
// ^bb5:
//   %s_1 = arith.addi %s, %i overflow<nsw> : i32
//   cf.br ^bb6(%s_1 : i32)
// ^bb6(%s_2: i32):
//   %7 = arith.constant 1 : i32
//   %i_1 = arith.addi %i, %7 overflow<nsw> : i32
//   cf.br ^bb1(%i_1, %s_2 : i32, i32)
// ^bb7:
//   func.return %s : i32
// }
