// What ends the program is an assertion that fails.
#include <stdlib.h>
int f(int n) {
    if (n < 0)
        abort();
    return n;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.cmpi slt, %n, %0 : i32
//   cf.cond_br %1, ^bb1, ^bb2
// ^bb1:
//   %2 = arith.constant false
//   cf.assert %2, "the program ends by `abort`"
//   cf.br ^bb3
// ^bb2:
//   cf.br ^bb3
// ^bb3:
//   func.return %n : i32
// }
