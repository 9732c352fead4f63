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
//   %4 = arith.constant false
//   %5 = arith.constant true
//   %6 = arith.constant 1 : i32
//   %7 = arith.constant -1 : i32
//   %8 = arith.addi %n, %7 overflow<nsw> : i32
//   %i, %r_1 = "scf.while"(%3, %r) ({
//   ^bb0(%i_1: i32, %r_2: i32):
//     %9 = "arith.cmpi"(%i_1, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
//     "scf.condition"(%9, %i_1, %r_2) : (i1, i32, i32) -> ()
//   }, {
//   ^bb0(%i_2: i32, %r_3: i32):
//     %i_3 = "arith.subi"(%8, %i_2) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     %10 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//     %11 = "arith.constant"() <{value = false}> : () -> i1
//     %12 = "arith.constant"() <{value = true}> : () -> i1
//     %13 = "arith.constant"() <{value = -1 : i32}> : () -> i32
//     %14 = "arith.addi"(%m, %13) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     %j, %left = "scf.while"(%10, %11) ({
//     ^bb0(%j_1: i32, %left_1: i1):
//       %15 = "arith.cmpi"(%j_1, %m) <{predicate = 2 : i64}> : (i32, i32) -> i1
//       "scf.condition"(%15, %j_1, %left_1) : (i1, i32, i1) -> ()
//     }, {
//     ^bb0(%j_2: i32, %left_2: i1):
//       %j_3 = "arith.subi"(%14, %j_2) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//       %16 = "arith.muli"(%i_3, %m) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//       %17 = "arith.addi"(%16, %j_3) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//       %18 = "arith.extsi"(%17) : (i32) -> i64
//       %19 = "arith.addi"(%a_at, %18) <{overflowFlags = #arith.overflow<nsw>}> : (i64, i64) -> i64
//       %20 = "arith.index_cast"(%19) : (i64) -> index
//       %21 = "memref.load"(%a, %20) : (memref<?xi32>, index) -> i32
//       %22 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//       %23 = "arith.cmpi"(%21, %22) <{predicate = 2 : i64}> : (i32, i32) -> i1
//       %left_3 = "scf.if"(%23) ({
//         "scf.yield"(%12) : (i1) -> ()
//       }, {
//         "scf.yield"(%left_2) : (i1) -> ()
//       }) : (i1) -> i1
//       %24 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//       %25 = "arith.addi"(%j_2, %24) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//       "scf.yield"(%25, %left_3) : (i32, i1) -> ()
//     }) {tl.left = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "use loops and `if` instead of jumps", loc = "f.c:8:17"}} : (i32, i1) -> (i32, i1)
//     %26 = "arith.xori"(%left, %1) : (i1, i1) -> i1
//     %r_4 = "scf.if"(%26) ({
//       "scf.yield"(%r_3) : (i32) -> ()
//     }, {
//       "scf.yield"(%6) : (i32) -> ()
//     }) : (i1) -> i32
//     %27 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//     %28 = "arith.addi"(%i_2, %27) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     "scf.yield"(%28, %r_4) : (i32, i32) -> ()
//   }) {tl.left = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "use loops and `if` instead of jumps", loc = "f.c:8:17"}} : (i32, i32) -> (i32, i32)
//   func.return %r_1 : i32
