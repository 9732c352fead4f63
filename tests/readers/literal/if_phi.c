// A variable that two arms write is an argument of the block behind them.
int f(int n) {
    int r = 1;
    if (n > 0)
        r = n;
    return r;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 1 : i32
//   %1 = arith.constant 0 : i32
//   %2 = arith.cmpi sgt, %n, %1 : i32
//   cf.cond_br %2, ^bb1, ^bb2
// ^bb1:
//   cf.br ^bb3(%n : i32)
// ^bb2:
//   cf.br ^bb3(%0 : i32)
// ^bb3(%r: i32):
//   func.return %r : i32
// }
