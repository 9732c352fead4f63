// REQUIRES: mlir-opt
// RUN: tensorlift-lift %s --to linalg | %mlir-opt | filecheck %s
// RUN: tensorlift-lift %s --to linalg | %mlir-opt --one-shot-bufferize=bufferize-function-boundaries | filecheck %s --check-prefix=MEMORY

// A triangle is a comparison of positions; upstream takes the text, and puts its tensors into memory.
// CHECK-LABEL: func.func @upper
// CHECK: linalg.generic
// CHECK: linalg.index 1 : index
// CHECK: arith.cmpi sle
// CHECK: arith.select

// MEMORY-LABEL: func.func @upper
// MEMORY: memref.alloc
// MEMORY: linalg.generic
// MEMORY-NOT: tensor.empty
func.func @upper(%n: index, %A: memref<?x?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      %c = arith.constant 7 : i32
      affine.store %c, %A[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
