// Where a loop is left in several ways, a result tells which one it was.
int f(int n) {
    while (n > 0)
        if (n-- == 5)
            return 1;
    return 0;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}) -> i32 {
//   %0 = arith.constant false
//   %1 = ub.poison : i32
//   %2 = arith.constant false
//   %3 = arith.constant true
//   %4 = arith.constant 0 : i32
//   %5 = arith.constant 1 : i32
//   %6 = arith.addi %4, %5 overflow<nsw> : i32
//   %n_1, %left = "scf.while"(%n, %2) ({
//   ^bb0(%n_2: i32, %left_1: i1):
//     %7 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//     %8 = "arith.cmpi"(%n_2, %7) <{predicate = 4 : i64}> : (i32, i32) -> i1
//     "scf.condition"(%8, %n_2, %left_1) : (i1, i32, i1) -> ()
//   }, {
//   ^bb0(%n_3: i32, %left_2: i1):
//     %9 = "arith.subi"(%n, %n_3) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     %n_4 = "arith.addi"(%6, %9) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     %10 = "arith.constant"() <{value = 5 : i32}> : () -> i32
//     %11 = "arith.cmpi"(%n_4, %10) <{predicate = 1 : i64}> : (i32, i32) -> i1
//     %left_3 = "scf.if"(%11) ({
//       "scf.yield"(%left_2) : (i1) -> ()
//     }, {
//       "scf.yield"(%3) : (i1) -> ()
//     }) : (i1) -> i1
//     %12 = "arith.constant"() <{value = -1 : i32}> : () -> i32
//     %13 = "arith.addi"(%n_3, %12) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//     "scf.yield"(%13, %left_3) : (i32, i1) -> ()
//   }) {tl.left = {code = "TL114", message = "`return` inside a loop leaves it early", remedy = "assign to a variable and return it after the loop", loc = "f.c:5:13"}} : (i32, i1) -> (i32, i1)
//   %14 = scf.if %left -> (i32) {
//     %15 = arith.constant 1 : i32
//     scf.yield %15 : i32
//   } else {
//     %16 = arith.constant 0 : i32
//     scf.yield %16 : i32
//   }
//   func.return %14 : i32
