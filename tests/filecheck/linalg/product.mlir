// RUN: tensorlift-lift %s --to linalg | filecheck %s

// A scaled product is added to a part of a matrix: a fill, a named product, and one fused operation on cells.
// CHECK: func.func @product(%n: index, %s: f64, %A: tensor<?x?xf64>, %B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
// CHECK: %[[C:.*]] = tensor.extract_slice %C[0, 0] [%n, %n] [1, 1]
// CHECK-NEXT: %[[A:.*]] = tensor.extract_slice %A
// CHECK-NEXT: %[[B:.*]] = tensor.extract_slice %B
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%zero : f64)
// CHECK-NEXT: %[[SUM:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<?x?xf64>, tensor<?x?xf64>) outs(%[[ZEROS]] : tensor<?x?xf64>)
// CHECK-NEXT: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[C]], %[[SUM]] : tensor<?x?xf64>, tensor<?x?xf64>)
// CHECK-NEXT: ^bb0(%in: f64, %in_0: f64, %out: f64):
// CHECK-NEXT: arith.mulf %s, %in_0 : f64
// CHECK: linalg.yield
// CHECK: tensor.insert_slice %{{.*}} into %C[0, 0] [%n, %n] [1, 1]
// CHECK: // product: loop-free, proved for every size
func.func @product(%n: index, %s: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %q = arith.mulf %s, %p : f64
        %r = arith.addf %c, %q : f64
        affine.store %r, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
