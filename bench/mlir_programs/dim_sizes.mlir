// Sizes are read from the shape with memref.dim.
func.func @axpy(%alpha: f64, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = affine.load %y[%i] : memref<?xf64>
    %p = arith.mulf %alpha, %a : f64
    %s = arith.addf %p, %b : f64
    affine.store %s, %y[%i] : memref<?xf64>
  }
  return
}
