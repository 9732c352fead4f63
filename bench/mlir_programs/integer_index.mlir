// Subscripts that went through 32-bit integers: neighbours from the end.
func.func @reverse_difference(%n: i32, %a: memref<?xf64>, %b: memref<?xf64>) {
  %one = arith.constant 1 : i32
  %bound = arith.index_cast %n : i32 to index
  affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%bound] {
    %k = arith.index_cast %i : index to i32
    %last = arith.subi %n, %one : i32
    %back = arith.subi %last, %k : i32
    %before = arith.subi %back, %one : i32
    %p = arith.index_cast %back : i32 to index
    %q = arith.index_cast %before : i32 to index
    %x = memref.load %a[%p] : memref<?xf64>
    %y = memref.load %a[%q] : memref<?xf64>
    %d = arith.subf %x, %y : f64
    affine.store %d, %b[%i] : memref<?xf64>
  }
  return
}
