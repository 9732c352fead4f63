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
//   %4, %5 = "scf.while"(%3) ({
//   ^bb0(%i: i32):
//     %6 = "arith.cmpi"(%i, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
//     %7, %8 = "scf.if"(%6) ({
//       %9 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//       %10 = "arith.constant"() <{value = false}> : () -> i1
//       %11 = "arith.constant"() <{value = true}> : () -> i1
//       %12 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//       %i_1 = "arith.addi"(%i, %12) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//       %13 = "arith.constant"() <{value = -1 : i32}> : () -> i32
//       %14 = "arith.addi"(%m, %13) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//       %j, %left, %left_1 = "scf.while"(%9, %10, %i_1) ({
//       ^bb0(%j_1: i32, %left_2: i1, %left_3: i32):
//         %15 = "arith.cmpi"(%j_1, %m) <{predicate = 2 : i64}> : (i32, i32) -> i1
//         "scf.condition"(%15, %j_1, %left_2, %left_3) : (i1, i32, i1, i32) -> ()
//       }, {
//       ^bb0(%j_2: i32, %left_4: i1, %left_5: i32):
//         %j_3 = "arith.subi"(%14, %j_2) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//         %16 = "arith.muli"(%i, %m) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//         %17 = "arith.addi"(%16, %j_3) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//         %18 = "arith.extsi"(%17) : (i32) -> i64
//         %19 = "arith.addi"(%a_at, %18) <{overflowFlags = #arith.overflow<nsw>}> : (i64, i64) -> i64
//         %20 = "arith.index_cast"(%19) : (i64) -> index
//         %21 = "memref.load"(%a, %20) : (memref<?xi32>, index) -> i32
//         %22 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//         %23 = "arith.cmpi"(%21, %22) <{predicate = 2 : i64}> : (i32, i32) -> i1
//         %left_6, %left_7 = "scf.if"(%23) ({
//           "scf.yield"(%11, %2) : (i1, i32) -> ()
//         }, {
//           "scf.yield"(%left_4, %left_5) : (i1, i32) -> ()
//         }) : (i1) -> (i1, i32)
//         %24 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//         %25 = "arith.addi"(%j_2, %24) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//         "scf.yield"(%25, %left_6, %left_7) : (i32, i1, i32) -> ()
//       }) {tl.left = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "use loops and `if` instead of jumps", loc = "f.c:8:17"}} : (i32, i1, i32) -> (i32, i1, i32)
//       %26 = "arith.xori"(%left, %1) : (i1, i1) -> i1
//       "scf.yield"(%left_1, %26) : (i32, i1) -> ()
//     }, {
//       "scf.yield"(%2, %0) : (i32, i1) -> ()
//     }) : (i1) -> (i32, i1)
//     "scf.condition"(%8, %7, %6) : (i1, i32, i1) -> ()
//   }, {
//   ^bb0(%27: i32, %28: i1):
//     "scf.yield"(%27) : (i32) -> ()
//   }) {tl.jump = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "use loops and `if` instead of jumps", loc = "f.c:8:17"}} : (i32) -> (i32, i1)
//   %r_1 = scf.if %5 -> (i32) {
//     %29 = arith.constant 1 : i32
//     scf.yield %29 : i32
//   } else {
//     scf.yield %r : i32
//   }
//   func.return %r_1 : i32
