// Pointers that are swapped are arguments of the header, memory and offset.
void f(int n, float *a, float *b) {
    while (n-- > 0) {
        b[n] = a[n];
        float *t = a;
        a = b;
        b = t;
    }
}

// MLIR
// func.func @f(%n: i32 {tl.name = "n"}, %a: memref<?xf32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}, %b: memref<?xf32> {tl.name = "b"}, %b_at: i64 {tl.name = "b_at"}) {
//   cf.br ^bb1(%n, %a, %a_at, %b, %b_at : i32, memref<?xf32>, i64, memref<?xf32>, i64)
// ^bb1(%n_1: i32, %a_1: memref<?xf32>, %a_at_1: i64, %b_1: memref<?xf32>, %b_at_1: i64):
//   %0 = arith.constant 1 : i32
//   %n_2 = arith.subi %n_1, %0 overflow<nsw> : i32
//   %1 = arith.constant 0 : i32
//   %2 = arith.cmpi sgt, %n_1, %1 : i32
//   cf.cond_br %2, ^bb2, ^bb4
// ^bb2:
//   %3 = arith.extsi %n_2 : i32 to i64
//   %4 = arith.addi %a_at_1, %3 overflow<nsw> : i64
//   %5 = arith.index_cast %4 : i64 to index
//   %6 = memref.load %a_1[%5] : memref<?xf32>
//   %7 = arith.extsi %n_2 : i32 to i64
//   %8 = arith.addi %b_at_1, %7 overflow<nsw> : i64
//   %9 = arith.index_cast %8 : i64 to index
//   memref.store %6, %b_1[%9] : memref<?xf32>
//   cf.br ^bb3
// ^bb3:
//   cf.br ^bb1(%n_2, %b_1, %b_at_1, %a_1, %a_at_1 : i32, memref<?xf32>, i64, memref<?xf32>, i64)
// ^bb4:
//   func.return
// }
