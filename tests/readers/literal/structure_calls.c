// A function gets the members that it uses.
struct pair {
    int one, other;
};

static int first(struct pair *p) {
    return p->one;
}

static void swap(struct pair *p) {
    struct pair t = *p;
    p->one = t.other;
    p->other = t.one;
}

int f(struct pair *p, int i) {
    swap(&p[i]);
    return first(p);
}

// MLIR
// func.func @first(%p_one: i32 {tl.name = "p->one"}) -> i32 {
//   func.return %p_one : i32
// }
// func.func @swap(%p_one: memref<?xi32> {tl.name = "p->one[]"}, %p_one_at: i64 {tl.name = "p_one_at"}, %p_other: memref<?xi32> {tl.name = "p->other[]"}, %p_other_at: i64 {tl.name = "p_other_at"}) {
//   %t_other = ub.poison : i32
//   %t_one = ub.poison : i32
//   %0 = arith.index_cast %p_one_at : i64 to index
//   %t_one_1 = memref.load %p_one[%0] : memref<?xi32>
//   %1 = arith.index_cast %p_other_at : i64 to index
//   %t_other_1 = memref.load %p_other[%1] : memref<?xi32>
//   %2 = arith.index_cast %p_one_at : i64 to index
//   memref.store %t_other_1, %p_one[%2] : memref<?xi32>
//   %3 = arith.index_cast %p_other_at : i64 to index
//   memref.store %t_one_1, %p_other[%3] : memref<?xi32>
//   func.return
// }
// func.func @f(%p_one: memref<?xi32> {tl.name = "p[].one"}, %p_one_at: i64 {tl.name = "p_one_at"}, %p_other: memref<?xi32> {tl.name = "p[].other"}, %p_other_at: i64 {tl.name = "p_other_at"}, %i: i32 {tl.name = "i"}) -> i32 {
//   %0 = arith.extsi %i : i32 to i64
//   %1 = arith.addi %p_one_at, %0 overflow<nsw> : i64
//   %2 = arith.addi %p_other_at, %0 overflow<nsw> : i64
//   func.call @swap(%p_one, %1, %p_other, %2) : (memref<?xi32>, i64, memref<?xi32>, i64) -> ()
//   %3 = arith.index_cast %p_one_at : i64 to index
//   %4 = memref.load %p_one[%3] : memref<?xi32>
//   %5 = func.call @first(%4) : (i32) -> i32
//   func.return %5 : i32
// }
