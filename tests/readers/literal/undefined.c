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
//   %t = ub.poison : i32
//   %0 = arith.constant 2 : i32
//   %1 = arith.cmpi sgt, %n, %0 : i32
//   cf.cond_br %1, ^bb1, ^bb2
// ^bb1:
//   cf.br ^bb3(%n : i32)
// ^bb2:
//   cf.br ^bb3(%t : i32)
// ^bb3(%t_1: i32):
//   %2 = arith.constant 1 : i32
//   %3 = arith.cmpi sgt, %n, %2 : i32
//   cf.cond_br %3, ^bb4, ^bb5
// ^bb4:
//   func.return %t_1 : i32
// ^bb5:
//   cf.br ^bb6
// ^bb6:
//   %4 = ub.poison : i32
//   func.return %4 : i32
// }
