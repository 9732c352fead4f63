// A search runs to its end, backwards, and so leaves its first hit; after no hit it leaves its bound.
int f(int n, const int *a) {
    int i;
    for (i = 0; i < n; i++)
        if (a[i] < 0)
            break;
    return i;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> i32 {
//   %0 = arith.constant false
//   %1 = ub.poison : i32
//   %2 = ub.poison : i32
//   %3 = arith.constant 0 : i32
//   %4 = arith.constant -1 : i32
//   %5 = arith.addi %n, %4 overflow<nsw> : i32
//   %6 = "arith.maxsi"(%n, %3) {tl.reached} : (i32, i32) -> i32
//   %i, %i_1 = "scf.while"(%3, %6) ({
//   ^bb0(%i_2: i32, %i_3: i32):
//     %7 = "arith.cmpi"(%i_2, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
//     "scf.condition"(%7, %i_2, %i_3) : (i1, i32, i32) -> ()
//   }, {
//   ^bb0(%i_4: i32, %i_5: i32):
//     %i_6 = "arith.subi"(%5, %i_4) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     %8 = "arith.extsi"(%i_6) : (i32) -> i64
//     %9 = "arith.addi"(%a_at, %8) <{overflowFlags = #arith.overflow<nsw>}> : (i64, i64) -> i64
//     %10 = "arith.index_cast"(%9) : (i64) -> index
//     %11 = "memref.load"(%a, %10) : (memref<?xi32>, index) -> i32
//     %12 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//     %13 = "arith.cmpi"(%11, %12) <{predicate = 2 : i64}> : (i32, i32) -> i1
//     %i_7 = "scf.if"(%13) ({
//       "scf.yield"(%i_6) : (i32) -> ()
//     }, {
//       "scf.yield"(%i_5) : (i32) -> ()
//     }) : (i1) -> i32
//     %14 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//     %15 = "arith.addi"(%i_4, %14) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     "scf.yield"(%15, %i_7) : (i32, i32) -> ()
//   }) {tl.left = {code = "TL112", message = "`break` leaves the loop early", remedy = "let the loop run to its bound and guard the body with a condition", loc = "f.c:6:13"}} : (i32, i32) -> (i32, i32)
//   func.return %i_1 : i32
