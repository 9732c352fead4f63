// A number behind a pointer that is written is memory of one cell, and so is an array in the structure memory.
struct state {
    int count;
    double last[4];
};

void f(struct state *s, double x) {
    s->last[s->count++] = x;
}

// MLIR
// func.func @f(%s_count: memref<?xi32> {tl.name = "s->count[]"}, %s_count_at: i64 {tl.name = "s_count_at"}, %s_last: memref<?xf64> {tl.name = "s->last[]"}, %s_last_at: i64 {tl.name = "s_last_at"}, %x: f64 {tl.name = "x"}) {
//   %0 = arith.index_cast %s_count_at : i64 to index
//   %1 = memref.load %s_count[%0] : memref<?xi32>
//   %2 = arith.constant 1 : i32
//   %3 = arith.addi %1, %2 overflow<nsw> : i32
//   %4 = arith.index_cast %s_count_at : i64 to index
//   memref.store %3, %s_count[%4] : memref<?xi32>
//   %5 = arith.extsi %1 : i32 to i64
//   %6 = arith.addi %s_last_at, %5 overflow<nsw> : i64
//   %7 = arith.index_cast %6 : i64 to index
//   memref.store %x, %s_last[%7] : memref<?xf64>
//   func.return
// }
