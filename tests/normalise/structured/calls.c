// What is called is written in place of its call, unless it calls itself.
static int twice(int x) {
    return x < 9 ? x + x : x;
}
static int power(int x, int n) {
    return n ? x * power(x, n - 1) : 1;
}
int f(int x) {
    return twice(twice(x)) + power(x, 3);
}

// MLIR
// func.func @twice(%x: i32 {tl.name = "x"}) -> i32 {
//   %0 = arith.constant 9 : i32
//   %1 = arith.cmpi slt, %x, %0 : i32
//   %2 = scf.if %1 -> (i32) {
//     %3 = arith.addi %x, %x overflow<nsw> : i32
//     scf.yield %3 : i32
//   } else {
//     scf.yield %x : i32
//   }
//   func.return %2 : i32
// }
// func.func @power(%x: i32 {tl.name = "x"}, %n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant 0 : i32
//   %1 = arith.cmpi ne, %n, %0 : i32
//   %2 = scf.if %1 -> (i32) {
//     %3 = arith.constant 1 : i32
//     %4 = arith.subi %n, %3 overflow<nsw> : i32
//     %5 = func.call @power(%x, %4) : (i32, i32) -> i32
//     %6 = arith.muli %x, %5 overflow<nsw> : i32
//     scf.yield %6 : i32
//   } else {
//     %7 = arith.constant 1 : i32
//     scf.yield %7 : i32
//   }
//   func.return %2 : i32
// }
// func.func @f(%x: i32 {tl.name = "x"}) -> i32 {
//   %0 = arith.constant 9 : i32
//   %1 = arith.cmpi slt, %x, %0 : i32
//   %2 = scf.if %1 -> (i32) {
//     %3 = arith.addi %x, %x overflow<nsw> : i32
//     scf.yield %3 : i32
//   } else {
//     scf.yield %x : i32
//   }
//   %4 = arith.constant 9 : i32
//   %5 = arith.cmpi slt, %2, %4 : i32
//   %6 = scf.if %5 -> (i32) {
//     %7 = arith.addi %2, %2 overflow<nsw> : i32
//     scf.yield %7 : i32
//   } else {
//     scf.yield %2 : i32
//   }
//   %8 = arith.constant 3 : i32
//   %9 = func.call @power(%x, %8) : (i32, i32) -> i32
//   %10 = arith.addi %6, %9 overflow<nsw> : i32
//   func.return %10 : i32
