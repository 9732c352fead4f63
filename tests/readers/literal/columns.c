// A member of all structures of an array is one memory, whose offset counts structures.
typedef struct {
    float scale;
    signed char cells[32];
} block;

float f(const block *x, int i, int j) {
    return x[i].scale * x[i].cells[j];
}

// MLIR
// func.func @f(%x_scale: memref<?xf32> {tl.name = "x[].scale"}, %x_scale_at: i64 {tl.name = "x_scale_at"}, %x_cells: memref<?xi8> {tl.name = "x[].cells"}, %x_cells_at: i64 {tl.name = "x_cells_at"}, %i: i32 {tl.name = "i"}, %j: i32 {tl.name = "j"}) -> f32 {
//   %0 = arith.extsi %i : i32 to i64
//   %1 = arith.addi %x_scale_at, %0 overflow<nsw> : i64
//   %2 = arith.index_cast %1 : i64 to index
//   %3 = memref.load %x_scale[%2] : memref<?xf32>
//   %4 = arith.extsi %i : i32 to i64
//   %5 = arith.constant 32 : i64
//   %6 = arith.muli %4, %5 overflow<nsw> : i64
//   %7 = arith.addi %x_cells_at, %6 overflow<nsw> : i64
//   %8 = arith.extsi %j : i32 to i64
//   %9 = arith.addi %7, %8 overflow<nsw> : i64
//   %10 = arith.constant 0 : i64
//   %11 = arith.cmpi sge, %8, %10 : i64
//   cf.assert %11, "not read: a place beyond the member of a structure"
//   %12 = arith.constant 32 : i64
//   %13 = arith.cmpi slt, %8, %12 : i64
//   cf.assert %13, "not read: a place beyond the member of a structure"
//   %14 = arith.index_cast %9 : i64 to index
//   %15 = memref.load %x_cells[%14] : memref<?xi8>
//   %16 = arith.extsi %15 : i8 to i32
//   %17 = arith.sitofp %16 : i32 to f32
//   %18 = arith.mulf %3, %17 : f32
//   func.return %18 : f32
// }
