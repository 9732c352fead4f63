// Strides and permuted layouts do not change what the subscripts mean.
#columns = affine_map<(d0, d1) -> (d1, d0)>
func.func @add(%A: memref<?x?xf64, strided<[?, 1], offset: ?>>, %B: memref<?x?xf64, #columns>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64, strided<[?, 1], offset: ?>>
      %b = affine.load %B[%i, %j] : memref<?x?xf64, #columns>
      %s = arith.addf %a, %b : f64
      affine.store %s, %B[%i, %j] : memref<?x?xf64, #columns>
    }
  }
  return
}
