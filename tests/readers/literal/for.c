// A loop is a header with a back edge from its advance.
int f(int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.constant 0 : i32
//   cf.br ^bb1(%1, %0 : i32, i32)
// ^bb1(%i: i32, %s: i32):
//   %2 = arith.cmpi slt, %i, %n : i32
//   cf.cond_br %2, ^bb2, ^bb4
// ^bb2:
//   %s_1 = arith.addi %s, %i overflow<nsw> : i32
//   cf.br ^bb3
// ^bb3:
//   %3 = arith.constant 1 : i32
//   %i_1 = arith.addi %i, %3 overflow<nsw> : i32
//   cf.br ^bb1(%i_1, %s_1 : i32, i32)
// ^bb4:
//   func.return %s : i32
// }
