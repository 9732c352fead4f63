// Data-dependent values: a comparison, a select and a branch with results.
func.func @leaky(%x: memref<?xf32>, %y: memref<?xf32>, %slope: f32, %n: index) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    %positive = arith.cmpf ogt, %a, %zero : f32
    %v = scf.if %positive -> (f32) {
      scf.yield %a : f32
    } else {
      %p = arith.mulf %a, %slope : f32
      scf.yield %p : f32
    }
    affine.store %v, %y[%i] : memref<?xf32>
  }
  return
}
