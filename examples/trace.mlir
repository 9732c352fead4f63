// The trace of a matrix, shown by another dialect.
func.func @trace(%n: index, %A: memref<?x?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %t = affine.for %i = 0 to %n iter_args(%sum = %zero) -> (f64) {  // down the diagonal
    %a = affine.load %A[%i, %i] : memref<?x?xf64>
    %next = arith.addf %sum, %a : f64
    affine.yield %next : f64
  }
  vector.print %t : f64
  return %t : f64
}
