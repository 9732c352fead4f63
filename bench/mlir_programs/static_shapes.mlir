// Constant extents stay constants, or become sizes with --generalise.
func.func @matvec(%A: memref<40x30xf64>, %x: memref<30xf64>, %y: memref<40xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 40 {
    affine.store %zero, %y[%i] : memref<40xf64>
    affine.for %j = 0 to 30 {
      %a = affine.load %A[%i, %j] : memref<40x30xf64>
      %b = affine.load %x[%j] : memref<30xf64>
      %c = affine.load %y[%i] : memref<40xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      affine.store %s, %y[%i] : memref<40xf64>
    }
  }
  return
}
