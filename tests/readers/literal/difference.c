// Pointers into one memory are subtracted by their offsets.
long f(double (*a)[4], int n) {
    double (*p)[4] = a + n;
    return p - a;
}

// MLIR
// func.func @f(%a: memref<?xf64> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}, %n: i32 {tl.name = "n"}) -> i64 {
//   %0 = arith.extsi %n : i32 to i64
//   %1 = arith.constant 4 : i64
//   %2 = arith.muli %0, %1 overflow<nsw> : i64
//   %p_at = arith.addi %a_at, %2 overflow<nsw> : i64
//   %3 = arith.subi %p_at, %a_at overflow<nsw> : i64
//   %4 = arith.constant 4 : i64
//   %5 = arith.divsi %3, %4 : i64
//   func.return %5 : i64
// }
