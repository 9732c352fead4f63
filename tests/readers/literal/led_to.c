// A member that points to structures leads on to their members: to those of one, or of an array of them.
typedef struct {
    float mass, at[3];
} particle;

typedef struct {
    const particle *all, *heavy;
    int n;
} box;

float f(const box *b, int i) {
    return b->all[i].at[1] * b->heavy->mass;
}

// MLIR
// func.func @f(%b_all_at: memref<?xf32> {tl.name = "b->all[].at"}, %b_all_at_at: i64 {tl.name = "b_all_at_at"}, %b_heavy_mass: f32 {tl.name = "b->heavy->mass"}, %i: i32 {tl.name = "i"}) -> f32 {
//   %0 = arith.extsi %i : i32 to i64
//   %1 = arith.constant 3 : i64
//   %2 = arith.muli %0, %1 overflow<nsw> : i64
//   %3 = arith.addi %b_all_at_at, %2 overflow<nsw> : i64
//   %4 = arith.constant 1 : i32
//   %5 = arith.extsi %4 : i32 to i64
//   %6 = arith.addi %3, %5 overflow<nsw> : i64
//   %7 = arith.constant 0 : i64
//   %8 = arith.cmpi sge, %5, %7 : i64
//   cf.assert %8, "not read: a place beyond the member of a structure"
//   %9 = arith.constant 3 : i64
//   %10 = arith.cmpi slt, %5, %9 : i64
//   cf.assert %10, "not read: a place beyond the member of a structure"
//   %11 = arith.index_cast %6 : i64 to index
//   %12 = memref.load %b_all_at[%11] : memref<?xf32>
//   %13 = arith.mulf %12, %b_heavy_mass : f32
//   func.return %13 : f32
// }
