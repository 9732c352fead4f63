// What a loop computed last is a result of it.
int f(int n, const int *a) {
    int last;
    do {
        last = a[n];
    } while (n-- > 0);
    return last;
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> i32 {
//   %last = ub.poison : i32
//   %n_1, %last_1 = scf.while (%n_2 = %n) : (i32) -> (i32, i32) {
//     %0 = arith.extsi %n_2 : i32 to i64
//     %1 = arith.addi %a_at, %0 overflow<nsw> : i64
//     %2 = arith.index_cast %1 : i64 to index
//     %last_2 = memref.load %a[%2] : memref<?xi32>
//     %3 = arith.constant 1 : i32
//     %n_3 = arith.subi %n_2, %3 overflow<nsw> : i32
//     %4 = arith.constant 0 : i32
//     %5 = arith.cmpi sgt, %n_2, %4 : i32
//     scf.condition(%5) %n_3, %last_2 : i32, i32
//   } do {
//   ^bb0(%n_4: i32, %last_3: i32):
//     scf.yield %n_4 : i32
//   }
//   func.return %last_1 : i32
