// A `do` that asks of what an iteration reads stays what it is.
void f(int *a) {
    int i = 0;
    do {
        i++;
    } while (a[i] > 0);
    a[0] = i;
}

// MLIR
// func.func @f(%a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %0 = arith.constant 0 : i32
//   %i = scf.while (%i_1 = %0) : (i32) -> i32 {
//     %1 = arith.constant 1 : i32
//     %i_2 = arith.addi %i_1, %1 overflow<nsw> : i32
//     %2 = arith.extsi %i_2 : i32 to i64
//     %3 = arith.addi %a_at, %2 overflow<nsw> : i64
//     %4 = arith.index_cast %3 : i64 to index
//     %5 = memref.load %a[%4] : memref<?xi32>
//     %6 = arith.constant 0 : i32
//     %7 = arith.cmpi sgt, %5, %6 : i32
//     scf.condition(%7) %i_2 : i32
//   } do {
//   ^bb0(%i_3: i32):
//     scf.yield %i_3 : i32
//   }
//   %8 = arith.constant 0 : i32
//   %9 = arith.extsi %8 : i32 to i64
//   %10 = arith.addi %a_at, %9 overflow<nsw> : i64
//   %11 = arith.index_cast %10 : i64 to index
//   memref.store %i, %a[%11] : memref<?xi32>
//   func.return
