// RUN: not tensorlift-lift %s 2>&1 | filecheck %s

// The place, the line with a caret, and the remedy are shown.
// CHECK: error: the subscript depends on data [TL130]
// CHECK: memref.store %v, %x[%at]
// CHECK: ^
// CHECK: help: address the array by loop variables and sizes only
func.func @scatter(%x: memref<?xf64>, %p: memref<?xi32>, %y: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %j = affine.load %p[%i] : memref<?xi32>
    %at = arith.index_cast %j : i32 to index
    %v = affine.load %y[%i] : memref<?xf64>
    memref.store %v, %x[%at] : memref<?xf64>
  }
  return
}
