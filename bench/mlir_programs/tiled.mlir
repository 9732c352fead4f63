// A tiled loop: the upper bound is a minimum.
func.func @scale(%x: memref<?xf64>, %s: f64, %n: index) {
  affine.for %t = 0 to %n step 32 {
    affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 32, s0)>(%t)[%n] {
      %a = affine.load %x[%i] : memref<?xf64>
      %p = arith.mulf %a, %s : f64
      affine.store %p, %x[%i] : memref<?xf64>
    }
  }
  return
}
