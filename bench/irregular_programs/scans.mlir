// Scans that are no sums: the value last seen, the best so far, gains over a running minimum.

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
func.func @running_max(%x: memref<?xf64>, %best: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %low = arith.constant 0xFFF0000000000000 : f64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %last = affine.for %i = 0 to %n iter_args(%m = %low) -> (f64) {
    %v = affine.load %x[%i] : memref<?xf64>
    %more = arith.maximumf %m, %v : f64
    affine.store %more, %best[%i] : memref<?xf64>
    affine.yield %more : f64
  }
  return
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
func.func @forward_fill(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%kept = %zero) -> (f32) {
    %v = memref.load %x[%i] : memref<?xf32>
    %missing = arith.cmpf uno, %v, %v : f32
    %f = arith.select %missing, %kept, %v : f32
    memref.store %f, %y[%i] : memref<?xf32>
    scf.yield %f : f32
  }
  return
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c loop-free
func.func @best_profit(%price: memref<?xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %first = memref.load %price[%c0] : memref<?xi32>
  %n = memref.dim %price, %c0 : memref<?xi32>
  %low, %best = scf.for %i = %c1 to %n step %c1 iter_args(%l = %first, %b = %zero) -> (i32, i32) {
    %p = memref.load %price[%i] : memref<?xi32>
    %least = arith.minsi %l, %p : i32
    %gain = arith.subi %p, %least overflow<nsw> : i32
    %most = arith.maxsi %b, %gain : i32
    scf.yield %least, %most : i32, i32
  }
  return %best : i32
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
func.func @prefix_sums(%x: memref<?xi64>, %sums: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %x, %c0 : memref<?xi64>
  %total = affine.for %i = 0 to %n iter_args(%s = %zero) -> (i64) {
    affine.store %s, %sums[%i] : memref<?xi64>
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.addi %s, %v : i64
    affine.yield %t : i64
  }
  return
}
