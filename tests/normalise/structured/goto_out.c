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
//     %6 = arith.cmpi slt, %i, %n : i32
//     %7, %8 = scf.if %6 -> (i32, i1) {
//       %9 = arith.constant 0 : i32
//       %10 = arith.constant false
//       %j, %hit = "scf.while"(%9, %n) ({
//       ^bb0(%j_1: i32, %hit_1: i32):
//         %11 = arith.cmpi slt, %j_1, %n : i32
//         scf.condition(%11) %j_1, %hit_1 : i32, i32
//       }, {
//       ^bb0(%j_2: i32, %hit_2: i32):
//         %12 = arith.extsi %j_2 : i32 to i64
//         %13 = arith.addi %a_at, %12 overflow<nsw> : i64
//         %14 = arith.index_cast %13 : i64 to index
//         %15 = memref.load %a[%14] : memref<?xi32>
//         %16 = arith.cmpi ne, %15, %i : i32
//         %17 = arith.select %16, %n, %j_2 : i32
//         %18 = arith.minsi %hit_2, %17 : i32
//         %19 = arith.constant 1 : i32
//         %20 = arith.addi %j_2, %19 overflow<nsw> : i32
//         scf.yield %20, %18 : i32, i32
//       }) {tl.left = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "write a loop or an `if` instead of the jump", loc = "f.c:6:17"}} : (i32, i32) -> (i32, i32)
//       %j_3 = "scf.while"(%9) ({
//       ^bb0(%j_4: i32):
//         %21 = arith.cmpi slt, %j_4, %n : i32
//         scf.condition(%21) %j_4 : i32
//       }, {
//       ^bb0(%j_5: i32):
//         %22 = arith.cmpi slt, %j_5, %n : i32
//         %23 = arith.cmpi slt, %j_5, %hit : i32
//         scf.if %23 {
//           %24 = arith.extsi %j_5 : i32 to i64
//           %25 = arith.addi %a_at, %24 overflow<nsw> : i64
//           %26 = arith.index_cast %25 : i64 to index
//           %27 = memref.load %a[%26] : memref<?xi32>
//           %28 = arith.extsi %j_5 : i32 to i64
//           %29 = arith.addi %a_at, %28 overflow<nsw> : i64
//           %30 = arith.index_cast %29 : i64 to index
//           %31 = memref.load %a[%30] : memref<?xi32>
//           %32 = arith.constant 1 : i32
//           %33 = arith.addi %31, %32 overflow<nsw> : i32
//           %34 = arith.index_cast %29 : i64 to index
//           memref.store %33, %a[%34] : memref<?xi32>
//           %35 = arith.constant 1 : i32
//           %j_6 = arith.addi %j_5, %35 overflow<nsw> : i32
//           %36 = arith.cmpi ne, %27, %i : i32
//         }
//         %37 = arith.constant 1 : i32
//         %38 = arith.addi %j_5, %37 overflow<nsw> : i32
//         scf.yield %38 : i32
//       }) {tl.left = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "write a loop or an `if` instead of the jump", loc = "f.c:6:17"}} : (i32) -> i32
//       %39 = arith.constant false
//       %40 = arith.constant true
//       %41 = arith.cmpi ne, %hit, %n : i32
//       %42 = scf.if %41 -> (i32) {
//         scf.yield %2 : i32
//       } else {
//         %43 = arith.constant 1 : i32
//         %i_1 = arith.addi %i, %43 overflow<nsw> : i32
//         scf.yield %i_1 : i32
//       }
//       %44 = arith.xori %41, %1 : i1
//       scf.yield %42, %44 : i32, i1
//     } else {
//       scf.yield %2, %0 : i32, i1
//     }
//     scf.condition(%8) %7, %6 : i32, i1
//   }, {
//   ^bb0(%45: i32, %46: i1):
//     scf.yield %45 : i32
//   }) {tl.jump = {code = "TL111", message = "`goto` and labels are not lifted", remedy = "write a loop or an `if` instead of the jump", loc = "f.c:6:17"}} : (i32) -> (i32, i1)
//   %47 = scf.if %5 -> (i32) {
//     %48 = arith.constant 1 : i32
//     %49 = arith.constant 0 : i32
//     %50 = arith.extsi %49 : i32 to i64
//     %51 = arith.addi %a_at, %50 overflow<nsw> : i64
//     %52 = arith.index_cast %51 : i64 to index
//     memref.store %48, %a[%52] : memref<?xi32>
//     %53 = arith.constant 1 : i32
//     scf.yield %53 : i32
//   } else {
//     %54 = arith.constant 0 : i32
//     scf.yield %54 : i32
//   }
//   func.return %47 : i32
