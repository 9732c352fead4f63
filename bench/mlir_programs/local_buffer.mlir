// A heap buffer, a copy, and one-element buffers as scalars.
func.func @smooth(%x: memref<?xf64>, %n: index) {
  %half = arith.constant 5.0e-01 : f64
  %old = memref.alloc(%n) : memref<?xf64>
  %cell = memref.alloca() : memref<1xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    affine.store %a, %old[%i] : memref<?xf64>
  }
  affine.for %i = 1 to %n {
    %a = affine.load %old[%i - 1] : memref<?xf64>
    affine.store %a, %cell[0] : memref<1xf64>
    %b = affine.load %old[%i] : memref<?xf64>
    %c = affine.load %cell[0] : memref<1xf64>
    %s = arith.addf %b, %c : f64
    %v = arith.mulf %s, %half : f64
    affine.store %v, %x[%i] : memref<?xf64>
  }
  memref.dealloc %old : memref<?xf64>
  return
}
