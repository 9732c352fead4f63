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
//   %i, %hit = "scf.while"(%2, %n) ({
//   ^bb0(%i_1: i32, %hit_1: i32):
//     %3 = arith.cmpi slt, %i_1, %n : i32
//     scf.condition(%3) %i_1, %hit_1 : i32, i32
//   }, {
//   ^bb0(%i_2: i32, %hit_2: i32):
//     %4 = arith.extsi %i_2 : i32 to i64
//     %5 = arith.addi %a_at, %4 overflow<nsw> : i64
//     %6 = arith.index_cast %5 : i64 to index
//     %7 = memref.load %a[%6] : memref<?xi32>
//     %8 = arith.constant 0 : i32
//     %9 = arith.cmpi sge, %7, %8 : i32
//     %10 = arith.select %9, %n, %i_2 : i32
//     %11 = arith.minsi %hit_2, %10 : i32
//     %12 = arith.constant 1 : i32
//     %13 = arith.addi %i_2, %12 overflow<nsw> : i32
//     scf.yield %13, %11 : i32, i32
//   }) {tl.left = {code = "TL112", message = "`break` leaves the loop early", remedy = "run the loop to its bound, and put the body under a condition", loc = "f.c:5:13"}} : (i32, i32) -> (i32, i32)
//   %i_3 = "scf.while"(%2) ({
//   ^bb0(%i_4: i32):
//     %14 = arith.cmpi slt, %i_4, %n : i32
//     scf.condition(%14) %i_4 : i32
//   }, {
//   ^bb0(%i_5: i32):
//     %15 = arith.cmpi slt, %i_5, %n : i32
//     %16 = arith.cmpi slt, %i_5, %hit : i32
//     scf.if %16 {
//       %17 = arith.extsi %i_5 : i32 to i64
//       %18 = arith.addi %a_at, %17 overflow<nsw> : i64
//       %19 = arith.index_cast %18 : i64 to index
//       %20 = memref.load %a[%19] : memref<?xi32>
//       %21 = arith.constant 0 : i32
//       %22 = arith.constant 1 : i32
//       %23 = arith.extsi %i_5 : i32 to i64
//       %24 = arith.addi %a_at, %23 overflow<nsw> : i64
//       %25 = arith.index_cast %24 : i64 to index
//       memref.store %22, %a[%25] : memref<?xi32>
//       %26 = arith.constant 1 : i32
//       %i_6 = arith.addi %i_5, %26 overflow<nsw> : i32
//       %27 = arith.cmpi sge, %20, %21 : i32
//     }
//     %28 = arith.constant 1 : i32
//     %29 = arith.addi %i_5, %28 overflow<nsw> : i32
//     scf.yield %29 : i32
//   }) {tl.left = {code = "TL112", message = "`break` leaves the loop early", remedy = "run the loop to its bound, and put the body under a condition", loc = "f.c:5:13"}} : (i32) -> i32
//   func.return
