// RUN: not tensorlift-lift %s 2>&1 | filecheck %s

// The place, the line with a caret, and the remedy are shown.
// CHECK: error: `arith.bitcast` is not lifted [TL194]
// CHECK: %bits = arith.bitcast %v : f32 to i32
// CHECK: ^
// CHECK: help: write it with loops
func.func @bits_of(%x: memref<?xf32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %bits = arith.bitcast %v : f32 to i32
    memref.store %bits, %out[%i] : memref<?xi32>
  }
  return
}
