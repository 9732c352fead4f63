static int no(double *p) {
  return p == 0;
}
int f(int n, double *x) {
  if (no(x + n) || !x) return -1;
  return n;
}

// MLIR
// func.func @no(%p: memref<?xf64> {tl.name = "p"}, %p_at: i64 {tl.name = "p_at"}, %0: i1 {tl.name = "p null"}) -> i32 {
//   %1 = arith.extui %0 : i1 to i32
//   func.return %1 : i32
// }
// func.func @f(%n: i32 {tl.name = "n"}, %x: memref<?xf64> {tl.name = "x"}, %x_at: i64 {tl.name = "x_at"}, %0: i1 {tl.name = "x null"}) -> i32 {
//   %1 = arith.extsi %n : i32 to i64
//   %2 = arith.addi %x_at, %1 overflow<nsw> : i64
//   %3 = func.call @no(%x, %2, %0) : (memref<?xf64>, i64, i1) -> i32
//   %4 = arith.constant 0 : i32
//   %5 = arith.cmpi ne, %3, %4 : i32
//   cf.cond_br %5, ^bb2, ^bb1
// ^bb1:
//   %6 = arith.constant true
//   %7 = arith.xori %0, %6 : i1
//   cf.cond_br %7, ^bb3, ^bb2
// ^bb2:
//   %8 = arith.constant 1 : i32
//   %9 = arith.constant 0 : i32
//   %10 = arith.subi %9, %8 overflow<nsw> : i32
//   func.return %10 : i32
// ^bb3:
//   cf.br ^bb4
// ^bb4:
//   func.return %n : i32
// }
