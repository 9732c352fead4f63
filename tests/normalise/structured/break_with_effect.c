// A loop that stores before it is left is no search: all of it stands in its first region.
void f(int n, int *a) {
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            break;
        a[i] = 1;
    }
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %0 = arith.constant false
//   %1 = ub.poison : i32
//   %2 = arith.constant 0 : i32
//   %3 = "scf.while"(%2) ({
//   ^bb0(%i: i32):
//     %4 = "arith.cmpi"(%i, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
//     %5, %6 = "scf.if"(%4) ({
//       %7 = "arith.extsi"(%i) : (i32) -> i64
//       %8 = "arith.addi"(%a_at, %7) <{overflowFlags = #arith.overflow<nsw>}> : (i64, i64) -> i64
//       %9 = "arith.index_cast"(%8) : (i64) -> index
//       %10 = "memref.load"(%a, %9) : (memref<?xi32>, index) -> i32
//       %11 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//       %12 = "arith.cmpi"(%10, %11) <{predicate = 2 : i64}> : (i32, i32) -> i1
//       %13 = "scf.if"(%12) ({
//         "scf.yield"(%1) : (i32) -> ()
//       }, {
//         %14 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//         %15 = "arith.extsi"(%i) : (i32) -> i64
//         %16 = "arith.addi"(%a_at, %15) <{overflowFlags = #arith.overflow<nsw>}> : (i64, i64) -> i64
//         %17 = "arith.index_cast"(%16) : (i64) -> index
//         "memref.store"(%14, %a, %17) : (i32, memref<?xi32>, index) -> ()
//         %18 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//         %i_1 = "arith.addi"(%i, %18) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//         "scf.yield"(%i_1) : (i32) -> ()
//       }) : (i1) -> i32
//       %19 = "arith.cmpi"(%10, %11) <{predicate = 5 : i64}> : (i32, i32) -> i1
//       "scf.yield"(%13, %19) : (i32, i1) -> ()
//     }, {
//       "scf.yield"(%1, %0) : (i32, i1) -> ()
//     }) : (i1) -> (i32, i1)
//     "scf.condition"(%6, %5) : (i1, i32) -> ()
//   }, {
//   ^bb0(%20: i32):
//     "scf.yield"(%20) : (i32) -> ()
//   }) {tl.jump = {code = "TL112", message = "`break` leaves the loop early", remedy = "let the loop run to its bound and guard the body with a condition", loc = "f.c:5:13"}} : (i32) -> i32
//   func.return
