// A case that falls through is written once.
int f(int n) {
    int r = 0;
    switch (n) {
    case 1:
        r = 10;
    case 2:
        r += 5;
        break;
    default:
        r = -1;
    }
    return r;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant true
//   %1 = arith.constant 0 : i32
//   %2 = arith.constant 1 : i32
//   %3 = arith.cmpi eq, %n, %2 : i32
//   %r, %4 = scf.if %3 -> (i32, i1) {
//     %5 = arith.constant 10 : i32
//     scf.yield %5, %0 : i32, i1
//   } else {
//     %6 = arith.constant 2 : i32
//     %7 = arith.cmpi eq, %n, %6 : i32
//     scf.yield %1, %7 : i32, i1
//   }
//   %r_1 = scf.if %4 -> (i32) {
//     %8 = arith.constant 5 : i32
//     %r_2 = arith.addi %r, %8 overflow<nsw> : i32
//     scf.yield %r_2 : i32
//   } else {
//     %9 = arith.constant 1 : i32
//     %10 = arith.constant 0 : i32
//     %r_3 = arith.subi %10, %9 overflow<nsw> : i32
//     scf.yield %r_3 : i32
//   }
//   func.return %r_1 : i32
