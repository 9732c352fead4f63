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
//   %i = ub.poison : i32
//   %0 = arith.constant 0 : i32
//   cf.br ^bb1(%0 : i32)
// ^bb1(%i_1: i32):
//   %1 = arith.cmpi slt, %i_1, %n : i32
//   cf.cond_br %1, ^bb2, ^bb7
// ^bb2:
//   %2 = arith.extsi %i_1 : i32 to i64
//   %3 = arith.addi %a_at, %2 overflow<nsw> : i64
//   %4 = arith.index_cast %3 : i64 to index
//   %5 = memref.load %a[%4] : memref<?xi32>
//   %6 = arith.constant 0 : i32
//   %7 = arith.cmpi slt, %5, %6 : i32
//   cf.cond_br %7, ^bb3, ^bb4
// ^bb3:
//   cf.br ^bb7
// ^bb4:
//   cf.br ^bb5
// ^bb5:
//   cf.br ^bb6
// ^bb6:
//   %8 = arith.constant 1 : i32
//   %i_2 = arith.addi %i_1, %8 overflow<nsw> : i32
//   cf.br ^bb1(%i_2 : i32)
// ^bb7:
//   func.return %i_1 : i32
// }
