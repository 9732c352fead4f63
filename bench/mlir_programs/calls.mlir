// Calls to functions of the module are inlined.
func.func private @square(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  return %y : f64
}
func.func private @fill(%x: memref<?xf64>, %value: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.store %value, %x[%i] : memref<?xf64>
  }
  return
}
func.func @squares(%A: memref<?x?xf64>, %sums: memref<?xf64>, %n: index, %m: index) {
  %zero = arith.constant 0.0 : f64
  func.call @fill(%sums, %zero, %n) : (memref<?xf64>, f64, index) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %q = func.call @square(%a) : (f64) -> f64
      %c = affine.load %sums[%i] : memref<?xf64>
      %s = arith.addf %c, %q : f64
      affine.store %s, %sums[%i] : memref<?xf64>
    }
  }
  return
}
