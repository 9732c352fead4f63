func.func @contract(%A: memref<20x40x50xf64>, %B: memref<50x30xf64>) -> memref<20x30x40xf64> {
  %zero = arith.constant 0.0 : f64
  %C = memref.alloc() : memref<20x30x40xf64>
  affine.for %j = 0 to 30 {
    affine.for %i = 0 to 20 {
      affine.for %k = 0 to 40 {
        affine.store %zero, %C[%i, %j, %k] : memref<20x30x40xf64>
        affine.for %l = 0 to 50 {
          %a = affine.load %A[%i, %k, %l] : memref<20x40x50xf64>
          %b = affine.load %B[%l, %j] : memref<50x30xf64>
          %p = arith.mulf %a, %b : f64
          %c = affine.load %C[%i, %j, %k] : memref<20x30x40xf64>
          %s = arith.addf %c, %p : f64
          affine.store %s, %C[%i, %j, %k] : memref<20x30x40xf64>
        }
      }
    }
  }
  return %C : memref<20x30x40xf64>
}
