// The bound of the sweep is one less than the extent.
func.func @jacobi(%steps: index, %A: memref<64xf64>, %B: memref<64xf64>) {
  %third = arith.constant 0.33333 : f64
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to 63 {
      %a = affine.load %A[%i - 1] : memref<64xf64>
      %b = affine.load %A[%i] : memref<64xf64>
      %c = affine.load %A[%i + 1] : memref<64xf64>
      %s = arith.addf %a, %b : f64
      %r = arith.addf %s, %c : f64
      %v = arith.mulf %third, %r : f64
      affine.store %v, %B[%i] : memref<64xf64>
    }
    affine.for %i = 1 to 63 {
      %a = affine.load %B[%i - 1] : memref<64xf64>
      %b = affine.load %B[%i] : memref<64xf64>
      %c = affine.load %B[%i + 1] : memref<64xf64>
      %s = arith.addf %a, %b : f64
      %r = arith.addf %s, %c : f64
      %v = arith.mulf %third, %r : f64
      affine.store %v, %A[%i] : memref<64xf64>
    }
  }
  return
}
