// RUN: not tensorlift-lift %s 2>&1 | filecheck %s

// The place, the line with a caret, and the remedy are shown.
// CHECK: error: the subscript depends on data in this way [TL130]
// CHECK: memref.load %table[%k, %j]
// CHECK: ^
// CHECK: help: address the array by loop variables and sizes only
func.func @embedding(%token: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?x?xf32>
  %d = memref.dim %out, %c1 : memref<?x?xf32>
  scf.for %t = %c0 to %n step %c1 {
    %k = memref.load %token[%t] : memref<?xindex>
    scf.for %j = %c0 to %d step %c1 {
      %v = memref.load %table[%k, %j] : memref<?x?xf32>
      memref.store %v, %out[%t, %j] : memref<?x?xf32>
    }
  }
  return
}
