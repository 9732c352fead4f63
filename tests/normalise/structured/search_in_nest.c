// A search in each iteration of a search; the jump out of both leaves its flag alone.
int f(int n, int m, const int *a) {
    int r = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (a[i * m + j] < 0) {
                r = 1;
                goto out;
            }
out:
    return r;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %m: i32 {tl.name = "m"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> i32 {
//   %0 = arith.constant false
//   %1 = arith.constant true
//   %2 = ub.poison : i32
//   %r = arith.constant 0 : i32
//   %3 = arith.constant 0 : i32
//   %4 = arith.constant -1 : i32
//   %5 = arith.addi %n, %4 overflow<nsw> : i32
//   %i, %r_1 = "scf.while"(%3, %r) ({
//   ^bb0(%i_1: i32, %r_2: i32):
//     %6 = arith.cmpi slt, %i_1, %n : i32
//     scf.condition(%6) %i_1, %r_2 : i32, i32
//   }, {
//   ^bb0(%i_2: i32, %r_3: i32):
//     %i_3 = arith.subi %5, %i_2 overflow<nsw> : i32
//     %7 = arith.constant 0 : i32
//     %8 = arith.constant false
//     %9 = arith.constant true
//     %10 = arith.constant -1 : i32
//     %11 = arith.addi %m, %10 overflow<nsw> : i32
//     %j, %left = "scf.while"(%7, %8) ({
//     ^bb0(%j_1: i32, %left_1: i1):
//       %12 = arith.cmpi slt, %j_1, %m : i32
//       scf.condition(%12) %j_1, %left_1 : i32, i1
//     }, {
//     ^bb0(%j_2: i32, %left_2: i1):
//       %j_3 = arith.subi %11, %j_2 overflow<nsw> : i32
//       %13 = arith.muli %i_3, %m overflow<nsw> : i32
//       %14 = arith.addi %13, %j_3 overflow<nsw> : i32
//       %15 = arith.extsi %14 : i32 to i64
//       %16 = arith.addi %a_at, %15 overflow<nsw> : i64
//       %17 = arith.index_cast %16 : i64 to index
//       %18 = memref.load %a[%17] : memref<?xi32>
//       %19 = arith.constant 0 : i32
//       %20 = arith.cmpi slt, %18, %19 : i32
//       %left_3 = scf.if %20 -> (i1) {
//         scf.yield %9 : i1
//       } else {
//         scf.yield %left_2 : i1
//       }
//       %21 = arith.constant 1 : i32
//       %22 = arith.addi %j_2, %21 overflow<nsw> : i32
//       scf.yield %22, %left_3 : i32, i1
//     }) {tl.left = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "write a loop or an `if` instead of the jump", loc = "f.c:8:17"}} : (i32, i1) -> (i32, i1)
//     %23 = scf.if %left -> (i32) {
//       %24 = arith.constant 1 : i32
//       scf.yield %24 : i32
//     } else {
//       scf.yield %2 : i32
//     }
//     %25 = arith.xori %left, %1 : i1
//     %r_4 = scf.if %25 -> (i32) {
//       scf.yield %r_3 : i32
//     } else {
//       scf.yield %23 : i32
//     }
//     %26 = arith.constant 1 : i32
//     %27 = arith.addi %i_2, %26 overflow<nsw> : i32
//     scf.yield %27, %r_4 : i32, i32
//   }) {tl.left = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "write a loop or an `if` instead of the jump", loc = "f.c:8:17"}} : (i32, i32) -> (i32, i32)
//   func.return %r_1 : i32
