// Quotients and remainders in subscripts.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @digits(%n: index, %y: memref<?xf64>, %a: memref<?x10xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i floordiv 10, %i mod 10] : memref<?x10xf64>
    affine.store %0, %y[%i] : memref<?xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @mixed(%n: index, %m: index, %y: memref<?x?xf64>, %c: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %0 = affine.load %c[%i floordiv 2 + %j mod 3] : memref<?xf64>
      affine.store %0, %y[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @ceiling(%n: index, %y: memref<?xf32>, %c: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %c[%i ceildiv 2] : memref<?xf32>
    affine.store %0, %y[%i] : memref<?xf32>
  }
  return
}
