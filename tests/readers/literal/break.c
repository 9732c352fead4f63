// `break` is a jump behind the loop, and what follows it is dropped.
int f(int n, const int *a) {
    int i;
    for (i = 0; i < n; i++)
        if (a[i] < 0) {
            break;
            i = 100;
        }
    return i;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> i32 {
//   %0 = ub.poison : i32
//   %1 = arith.constant 0 : i32
//   cf.br ^bb1(%1 : i32)
// ^bb1(%i: i32):
//   %2 = arith.cmpi slt, %i, %n : i32
//   cf.cond_br %2, ^bb2, ^bb7
// ^bb2:
//   %3 = arith.extsi %i : i32 to i64
//   %4 = arith.addi %a_at, %3 overflow<nsw> : i64
//   %5 = arith.index_cast %4 : i64 to index
//   %6 = memref.load %a[%5] : memref<?xi32>
//   %7 = arith.constant 0 : i32
//   %8 = arith.cmpi slt, %6, %7 : i32
//   cf.cond_br %8, ^bb3, ^bb4
// ^bb3:
//   cf.br ^bb7
// ^bb4:
//   cf.br ^bb5
// ^bb5:
//   cf.br ^bb6
// ^bb6:
//   %9 = arith.constant 1 : i32
//   %i_1 = arith.addi %i, %9 overflow<nsw> : i32
//   cf.br ^bb1(%i_1 : i32)
// ^bb7:
//   func.return %i : i32
// }
