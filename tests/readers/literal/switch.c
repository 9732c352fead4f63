// A `switch` compares with one case after the other; a case falls into the next one.
int f(int n) {
    int r = 0;
    switch (n) {
    case 1:
        r = 10;
    case 2:
        r += 5;
        break;
    default:
        r = -1;
    }
    return r;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.constant 1 : i32
//   %2 = arith.cmpi eq, %n, %1 : i32
//   cf.cond_br %2, ^bb3, ^bb1
// ^bb1:
//   %3 = arith.constant 2 : i32
//   %4 = arith.cmpi eq, %n, %3 : i32
//   cf.cond_br %4, ^bb4(%0 : i32), ^bb2
// ^bb2:
//   cf.br ^bb5
// ^bb3:
//   %5 = arith.constant 10 : i32
//   cf.br ^bb4(%5 : i32)
// ^bb4(%r: i32):
//   %6 = arith.constant 5 : i32
//   %r_1 = arith.addi %r, %6 overflow<nsw> : i32
//   cf.br ^bb6(%r_1 : i32)
// ^bb5:
//   %7 = arith.constant 1 : i32
//   %8 = arith.constant 0 : i32
//   %r_2 = arith.subi %8, %7 overflow<nsw> : i32
//   cf.br ^bb6(%r_2 : i32)
// ^bb6(%r_3: i32):
//   func.return %r_3 : i32
// }
