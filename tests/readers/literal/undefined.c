// A variable that nothing wrote is undefined, and so is what is returned at the end of a body.
int f(int n) {
    int t;
    if (n > 2)
        t = n;
    if (n > 1)
        return t;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = ub.poison : i32
//   %1 = arith.constant 2 : i32
//   %2 = arith.cmpi sgt, %n, %1 : i32
//   cf.cond_br %2, ^bb1, ^bb2
// ^bb1:
//   cf.br ^bb3(%n : i32)
// ^bb2:
//   cf.br ^bb3(%0 : i32)
// ^bb3(%t: i32):
//   %3 = arith.constant 1 : i32
//   %4 = arith.cmpi sgt, %n, %3 : i32
//   cf.cond_br %4, ^bb4, ^bb5
// ^bb4:
//   func.return %t : i32
// ^bb5:
//   cf.br ^bb6
// ^bb6:
//   func.return %0 : i32
// }
