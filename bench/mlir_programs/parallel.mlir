// Parallel loops become nests.
func.func @outer(%x: memref<?xf32>, %y: memref<?xf32>, %A: memref<?x?xf32>, %n: index, %m: index) {
  affine.parallel (%i, %j) = (0, 0) to (%n, symbol(%m)) {
    %a = affine.load %x[%i] : memref<?xf32>
    %b = affine.load %y[%j] : memref<?xf32>
    %p = arith.mulf %a, %b : f32
    affine.store %p, %A[%i, %j] : memref<?x?xf32>
  }
  return
}
