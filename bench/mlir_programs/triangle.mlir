// An affine set with symbols, and a triangular bound.
#band = affine_set<(d0, d1)[s0] : (d0 - d1 - 1 >= 0, s0 + d1 - d0 >= 0)>
#after = affine_map<(d0) -> (d0 + 1)>
func.func @band(%A: memref<?x?xf64>, %n: index, %w: index) {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #after(%i) {
      affine.if #band(%i, %j)[%w] {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %two : f64
        affine.store %p, %A[%i, %j] : memref<?x?xf64>
      } else {
        affine.store %zero, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
