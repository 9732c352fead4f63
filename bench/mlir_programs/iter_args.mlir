// Sums carried through loops, one inside the other.
func.func @norm(%A: memref<?x?xf64>, %n: index, %m: index) -> f64 {
  %zero = arith.constant 0.0 : f64
  %total = affine.for %i = 0 to %n iter_args(%acc = %zero) -> (f64) {
    %row = affine.for %j = 0 to %m iter_args(%part = %acc) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %q = arith.mulf %a, %a : f64
      %s = arith.addf %part, %q : f64
      affine.yield %s : f64
    }
    affine.yield %row : f64
  }
  %r = math.sqrt %total : f64
  return %r : f64
}
