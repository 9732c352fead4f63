// As a value `&&` is an `int` that two blocks choose.
int f(int n, int m) {
    return n && m > 1;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %m: i32 {tl.name = "m"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.cmpi ne, %n, %0 : i32
//   cf.cond_br %1, ^bb1, ^bb3
// ^bb1:
//   %2 = arith.constant 1 : i32
//   %3 = arith.cmpi sgt, %m, %2 : i32
//   cf.cond_br %3, ^bb2, ^bb3
// ^bb2:
//   %4 = arith.constant true
//   cf.br ^bb4(%4 : i1)
// ^bb3:
//   %5 = arith.constant false
//   cf.br ^bb4(%5 : i1)
// ^bb4(%6: i1):
//   %7 = arith.extui %6 : i1 to i32
//   func.return %7 : i32
// }
