// A jump out of two loops leaves both, by one flag for each.
int f(int n, int *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (a[j] == i)
                goto found;
            a[j]++;
        }
    return 0;
found:
    a[0] = 1;
    return 1;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> i32 {
//   %0 = arith.constant false
//   %1 = arith.constant true
//   %2 = ub.poison : i32
//   %3 = arith.constant 0 : i32
//   %4, %5 = "scf.while"(%3) ({
//   ^bb0(%i: i32):
//     %6 = "arith.cmpi"(%i, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
//     %7, %8 = "scf.if"(%6) ({
//       %9 = "arith.constant"() <{value = 0 : i32}> : () -> i32
//       %10, %11 = "scf.while"(%9) ({
//       ^bb0(%j: i32):
//         %12 = "arith.cmpi"(%j, %n) <{predicate = 2 : i64}> : (i32, i32) -> i1
//         %13, %14 = "scf.if"(%12) ({
//           %15 = "arith.extsi"(%j) : (i32) -> i64
//           %16 = "arith.addi"(%a_at, %15) <{overflowFlags = #arith.overflow<nsw>}> : (i64, i64) -> i64
//           %17 = "arith.index_cast"(%16) : (i64) -> index
//           %18 = "memref.load"(%a, %17) : (memref<?xi32>, index) -> i32
//           %19 = "arith.cmpi"(%18, %i) <{predicate = 0 : i64}> : (i32, i32) -> i1
//           %20 = "scf.if"(%19) ({
//             "scf.yield"(%2) : (i32) -> ()
//           }, {
//             %21 = "arith.extsi"(%j) : (i32) -> i64
//             %22 = "arith.addi"(%a_at, %21) <{overflowFlags = #arith.overflow<nsw>}> : (i64, i64) -> i64
//             %23 = "arith.index_cast"(%22) : (i64) -> index
//             %24 = "memref.load"(%a, %23) : (memref<?xi32>, index) -> i32
//             %25 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//             %26 = "arith.addi"(%24, %25) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//             %27 = "arith.index_cast"(%22) : (i64) -> index
//             "memref.store"(%26, %a, %27) : (i32, memref<?xi32>, index) -> ()
//             %28 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//             %j_1 = "arith.addi"(%j, %28) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//             "scf.yield"(%j_1) : (i32) -> ()
//           }) : (i1) -> i32
//           %29 = "arith.cmpi"(%18, %i) <{predicate = 1 : i64}> : (i32, i32) -> i1
//           "scf.yield"(%20, %29) : (i32, i1) -> ()
//         }, {
//           "scf.yield"(%2, %0) : (i32, i1) -> ()
//         }) : (i1) -> (i32, i1)
//         "scf.condition"(%14, %13, %12) : (i1, i32, i1) -> ()
//       }, {
//       ^bb0(%30: i32, %31: i1):
//         "scf.yield"(%30) : (i32) -> ()
//       }) {tl.jump = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "use loops and `if` instead of jumps", loc = "f.c:6:17"}} : (i32) -> (i32, i1)
//       %32 = "scf.if"(%11) ({
//         "scf.yield"(%2) : (i32) -> ()
//       }, {
//         %33 = "arith.constant"() <{value = 1 : i32}> : () -> i32
//         %i_1 = "arith.addi"(%i, %33) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
//         "scf.yield"(%i_1) : (i32) -> ()
//       }) : (i1) -> i32
//       %34 = "arith.xori"(%11, %1) : (i1, i1) -> i1
//       "scf.yield"(%32, %34) : (i32, i1) -> ()
//     }, {
//       "scf.yield"(%2, %0) : (i32, i1) -> ()
//     }) : (i1) -> (i32, i1)
//     "scf.condition"(%8, %7, %6) : (i1, i32, i1) -> ()
//   }, {
//   ^bb0(%35: i32, %36: i1):
//     "scf.yield"(%35) : (i32) -> ()
//   }) {tl.jump = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "use loops and `if` instead of jumps", loc = "f.c:6:17"}} : (i32) -> (i32, i1)
//   %37 = scf.if %5 -> (i32) {
//     %38 = arith.constant 1 : i32
//     %39 = arith.constant 0 : i32
//     %40 = arith.extsi %39 : i32 to i64
//     %41 = arith.addi %a_at, %40 overflow<nsw> : i64
//     %42 = arith.index_cast %41 : i64 to index
//     memref.store %38, %a[%42] : memref<?xi32>
//     %43 = arith.constant 1 : i32
//     scf.yield %43 : i32
//   } else {
//     %44 = arith.constant 0 : i32
//     scf.yield %44 : i32
//   }
//   func.return %37 : i32
