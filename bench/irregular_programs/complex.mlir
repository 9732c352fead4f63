// Complex numbers as pairs, stored side by side.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @multiply(%a: memref<?x2xf64>, %b: memref<?x2xf64>, %c: memref<?x2xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %c, %c0 : memref<?x2xf64>
  affine.for %i = 0 to %n {
    %ar = affine.load %a[%i, 0] : memref<?x2xf64>
    %ai = affine.load %a[%i, 1] : memref<?x2xf64>
    %br = affine.load %b[%i, 0] : memref<?x2xf64>
    %bi = affine.load %b[%i, 1] : memref<?x2xf64>
    %rr = arith.mulf %ar, %br : f64
    %ii = arith.mulf %ai, %bi : f64
    %ri = arith.mulf %ar, %bi : f64
    %ir = arith.mulf %ai, %br : f64
    %re = arith.subf %rr, %ii : f64
    %im = arith.addf %ri, %ir : f64
    affine.store %re, %c[%i, 0] : memref<?x2xf64>
    affine.store %im, %c[%i, 1] : memref<?x2xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @power_spectrum(%x: memref<?xf32>, %p: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %p, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %re = affine.load %x[2 * %i] : memref<?xf32>
    %im = affine.load %x[2 * %i + 1] : memref<?xf32>
    %rr = arith.mulf %re, %re : f32
    %ii = arith.mulf %im, %im : f32
    %s = arith.addf %rr, %ii : f32
    affine.store %s, %p[%i] : memref<?xf32>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @inner_product(%x: memref<?x2xf64>, %y: memref<?x2xf64>, %sum: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?x2xf64>
  %re, %im = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %t = %zero) -> (f64, f64) {
    %xr = memref.load %x[%i, %c0] : memref<?x2xf64>
    %xi = memref.load %x[%i, %c1] : memref<?x2xf64>
    %yr = memref.load %y[%i, %c0] : memref<?x2xf64>
    %yi = memref.load %y[%i, %c1] : memref<?x2xf64>
    %rr = arith.mulf %xr, %yr : f64
    %ii = arith.mulf %xi, %yi : f64
    %ri = arith.mulf %xr, %yi : f64
    %ir = arith.mulf %xi, %yr : f64
    %a = arith.addf %rr, %ii : f64
    %b = arith.subf %ri, %ir : f64
    %u = arith.addf %s, %a : f64
    %v = arith.addf %t, %b : f64
    scf.yield %u, %v : f64, f64
  }
  memref.store %re, %sum[%c0] : memref<2xf64>
  memref.store %im, %sum[%c1] : memref<2xf64>
  return
}
