// What else counts is told by the counter; what only a hit leaves is anything where there is none.
int f(int n, const int *a, int k) {
    const int *p = a;
    for (int i = n; i > 0; i--, p += 2)
        if (*p == k)
            return i;
    return -1;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}, %k: i32 {tl.name = "k"}) -> i32 {
//   %0 = arith.constant false
//   %1 = ub.poison : i32
//   %2 = ub.poison : i64
//   %3 = arith.constant 0 : i32
//   %4 = arith.constant 1 : i32
//   %5 = arith.addi %3, %4 overflow<nsw> : i32
//   %6 = arith.constant 0 : i32
//   %7 = arith.constant 1 : i32
//   %8 = arith.subi %6, %7 overflow<nsw> : i32
//   %i, %left = "scf.while"(%n, %8) ({
//   ^bb0(%i_1: i32, %left_1: i32):
//     %9 = arith.constant 0 : i32
//     %10 = arith.cmpi sgt, %i_1, %9 : i32
//     scf.condition(%10) %i_1, %left_1 : i32, i32
//   }, {
//   ^bb0(%i_2: i32, %left_2: i32):
//     %11 = arith.subi %n, %i_2 overflow<nsw> : i32
//     %i_3 = arith.addi %5, %11 overflow<nsw> : i32
//     %12 = arith.subi %n, %i_3 overflow<nsw> : i32
//     %13 = arith.extsi %12 : i32 to i64
//     %14 = arith.constant 2 : i64
//     %15 = arith.muli %13, %14 overflow<nsw> : i64
//     %p_at = arith.addi %a_at, %15 overflow<nsw> : i64
//     %16 = arith.index_cast %p_at : i64 to index
//     %17 = memref.load %a[%16] : memref<?xi32>
//     %18 = arith.cmpi eq, %17, %k : i32
//     %left_3 = scf.if %18 -> (i32) {
//       scf.yield %i_3 : i32
//     } else {
//       scf.yield %left_2 : i32
//     }
//     %19 = arith.constant -1 : i32
//     %20 = arith.addi %i_2, %19 overflow<nsw> : i32
//     scf.yield %20, %left_3 : i32, i32
//   }) {tl.left = {code = "TL114", message = "`return` leaves the loop early", remedy = "assign the result to a variable, and return it after the loop", loc = "f.c:6:13"}} : (i32, i32) -> (i32, i32)
//   func.return %left : i32
