// REQUIRES: mlir-opt
// RUN: tensorlift-opt %s --delinearize 2>/dev/null | %mlir-opt | filecheck %s
// RUN: tensorlift-opt %s --pass-pipeline='builtin.module(delinearize,raise-affine-to-linalg)' 2>/dev/null | %mlir-opt | filecheck %s --check-prefix=RAISED
// RUN: tensorlift-opt %s --delinearize --pass-statistics 2>&1 | filecheck %s --check-prefix=SAID

// SAID: 4 arrays with dimensions
// SAID: 4 accesses rewritten
// SAID: 1 arrays left as they are

// CHECK-LABEL: @rows
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[N:.*]], %[[M:.*]]], strides: [%[[M]], 1] : memref<?xf64> to memref<?x?xf64>
// CHECK: affine.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf64>
// RAISED-LABEL: @rows_raised
// RAISED: linalg.copy
func.func @rows(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i * symbol(%m) + %j] : memref<?xf64>
      affine.store %a, %B[%i * symbol(%m) + %j] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: @turned
// CHECK: affine.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<5x12xf64>
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<12x5xf64>
// RAISED-LABEL: @turned_raised
// RAISED: %[[TO:.*]] = memref.expand_shape %{{.*}} output_shape [12, 5] : memref<60xf64> into memref<12x5xf64>
// RAISED: linalg.transpose
// RAISED-SAME: outs(%[[TO]] : memref<12x5xf64>) permutation = [1, 0]
func.func @turned(%A: memref<60xf64>, %B: memref<60xf64>) {
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to 5 {
      %a = affine.load %A[%j * 12 + %i] : memref<60xf64>
      affine.store %a, %B[%i * 5 + %j] : memref<60xf64>
    }
  }
  return
}

// Subscripts that leave their rows stay as they are.
// CHECK-LABEL: @overlapping
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}} * 5 + %{{.*}}] : memref<61xf64>
func.func @overlapping(%A: memref<61xf64>, %x: f64) {
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to 6 {
      affine.store %x, %A[%i * 5 + %j] : memref<61xf64>
    }
  }
  return
}
