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
//   %i = ub.poison : i32
//   %2 = arith.constant 0 : i32
//   %3 = arith.constant -1 : i32
//   %4 = arith.addi %n, %3 overflow<nsw> : i32
//   %5 = "arith.maxsi"(%n, %2) {tl.reached} : (i32, i32) -> i32
//   %i_1, %i_2 = "scf.while"(%2, %5) ({
//   ^bb0(%i_3: i32, %i_4: i32):
//     %6 = arith.cmpi slt, %i_3, %n : i32
//     scf.condition(%6) %i_3, %i_4 : i32, i32
//   }, {
//   ^bb0(%i_5: i32, %i_6: i32):
//     %i_7 = arith.subi %4, %i_5 overflow<nsw> : i32
//     %7 = arith.extsi %i_7 : i32 to i64
//     %8 = arith.addi %a_at, %7 overflow<nsw> : i64
//     %9 = arith.index_cast %8 : i64 to index
//     %10 = memref.load %a[%9] : memref<?xi32>
//     %11 = arith.constant 0 : i32
//     %12 = arith.cmpi slt, %10, %11 : i32
//     %i_8 = scf.if %12 -> (i32) {
//       scf.yield %i_7 : i32
//     } else {
//       scf.yield %i_6 : i32
//     }
//     %13 = arith.constant 1 : i32
//     %14 = arith.addi %i_5, %13 overflow<nsw> : i32
//     scf.yield %14, %i_8 : i32, i32
//   }) {tl.left = {code = "TL112", message = "`break` leaves the loop early", remedy = "run the loop to its bound, and put the body under a condition", loc = "f.c:6:13"}} : (i32, i32) -> (i32, i32)
//   func.return %i_2 : i32
