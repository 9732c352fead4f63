// A condition that always holds is none.
void f(int n, int *a) {
    while (1) {
        if (n == 0)
            return;
        a[--n] = 1;
    }
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xi32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) {
//   %n_1 = scf.while (%n_2 = %n) : (i32) -> i32 {
//     %0 = arith.constant 1 : i32
//     %1 = arith.constant 0 : i32
//     %2 = arith.cmpi ne, %0, %1 : i32
//     %3 = arith.constant 0 : i32
//     %4 = arith.cmpi ne, %n_2, %3 : i32
//     scf.condition(%4) %n_2 : i32
//   } do {
//   ^bb0(%n_3: i32):
//     %5 = arith.constant 1 : i32
//     %6 = arith.constant 1 : i32
//     %n_4 = arith.subi %n_3, %6 overflow<nsw> : i32
//     %7 = arith.extsi %n_4 : i32 to i64
//     %8 = arith.addi %a_at, %7 overflow<nsw> : i64
//     %9 = arith.index_cast %8 : i64 to index
//     memref.store %5, %a[%9] : memref<?xi32>
//     scf.yield %n_4 : i32
//   }
//   func.return
