// A pointer is returned as its memory and its offset.
static float *g(float *a) {
    return a + 1;
}
float f(float *a) {
    return *g(a);
}

// MLIR
// func.func @g(%a: memref<?xf32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> (memref<?xf32>, i64) {
//   %0 = arith.constant 1 : i32
//   %1 = arith.extsi %0 : i32 to i64
//   %2 = arith.addi %a_at, %1 overflow<nsw> : i64
//   func.return %a, %2 : memref<?xf32>, i64
// }
// func.func @f(%a: memref<?xf32> {tl.name = "a"}, %a_at: i64 {tl.name = "a_at"}) -> f32 {
//   %0, %1 = func.call @g(%a, %a_at) : (memref<?xf32>, i64) -> (memref<?xf32>, i64)
//   %2 = arith.index_cast %1 : i64 to index
//   %3 = memref.load %0[%2] : memref<?xf32>
//   func.return %3 : f32
// }
