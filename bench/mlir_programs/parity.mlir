// Every second element, chosen by an affine set with a remainder, and a loop variable as a number.
#even = affine_set<(d0) : (d0 mod 2 == 0)>
func.func @alternate(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.if #even(%i) {
      %a = affine.load %x[%i] : memref<?xf64>
      %k = arith.index_cast %i : index to i64
      %f = arith.sitofp %k : i64 to f64
      %p = arith.mulf %a, %f : f64
      affine.store %p, %y[%i] : memref<?xf64>
    }
  }
  return
}
