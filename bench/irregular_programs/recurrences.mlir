// Linear recurrences: each cell needs the one, or the few, before it.

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
func.func @ema(%alpha: f64, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %last = affine.for %i = 0 to %n iter_args(%h = %zero) -> (f64) {
    %v = affine.load %x[%i] : memref<?xf64>
    %d = arith.subf %v, %h : f64
    %m = arith.mulf %alpha, %d : f64
    %g = arith.addf %h, %m : f64
    affine.store %g, %y[%i] : memref<?xf64>
    affine.yield %g : f64
  }
  return
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
func.func @second_order(%p: f32, %q: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  affine.for %i = 2 to %n {
    %a = affine.load %y[%i - 1] : memref<?xf32>
    %b = affine.load %y[%i - 2] : memref<?xf32>
    %v = affine.load %x[%i] : memref<?xf32>
    %pa = arith.mulf %p, %a : f32
    %qb = arith.mulf %q, %b : f32
    %s = arith.subf %pa, %qb : f32
    %t = arith.addf %s, %v : f32
    affine.store %t, %y[%i] : memref<?xf32>
  }
  return
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
func.func @horner(%c: memref<?xf64>, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %c, %c0 : memref<?xf64>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (f64) {
    %v = memref.load %c[%i] : memref<?xf64>
    %m = arith.mulf %p, %x : f64
    %t = arith.addf %m, %v : f64
    scf.yield %t : f64
  }
  return %s : f64
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
func.func @down_columns(%a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %decay = arith.constant 0.5 : f64
  %h = memref.dim %a, %c0 : memref<?x?xf64>
  %w = memref.dim %a, %c1 : memref<?x?xf64>
  affine.for %i = 1 to %h {
    affine.for %j = 0 to %w {
      %above = affine.load %b[%i - 1, %j] : memref<?x?xf64>
      %here = affine.load %a[%i, %j] : memref<?x?xf64>
      %m = arith.mulf %above, %decay : f64
      %t = arith.addf %m, %here : f64
      affine.store %t, %b[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
