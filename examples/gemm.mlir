// C = beta * C + alpha * A * B, as a C compiler may leave it: one nest, two statements at different depths.
func.func @gemm(%alpha: f64, %beta: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %C, %c0 : memref<?x?xf64>
  %m = memref.dim %C, %c1 : memref<?x?xf64>
  %k = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %scaled = arith.mulf %beta, %c : f64
      affine.store %scaled, %C[%i, %j] : memref<?x?xf64>
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %q = arith.mulf %alpha, %p : f64
        %old = affine.load %C[%i, %j] : memref<?x?xf64>
        %new = arith.addf %old, %q : f64
        affine.store %new, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
