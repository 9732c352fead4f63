// Symbolic strides and steps, tiles.
// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
func.func @every_sth(%n: index, %s: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %n step %s {
    %x = memref.load %b[%i] : memref<?xf64>
    %y = arith.addf %x, %one : f64
    memref.store %y, %a[%i] : memref<?xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @take_stride(%n: index, %s: index, %a: memref<?xf32>, %c: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %k = arith.muli %i, %s : index
    %x = memref.load %a[%k] : memref<?xf32>
    affine.store %x, %c[%i] : memref<?xf32>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @tiled_scale(%n: index, %t: index, %alpha: f64, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %ii = %c0 to %n step %t {
    %e = arith.addi %ii, %t : index
    %hi = arith.minsi %e, %n : index
    scf.for %i = %ii to %hi step %c1 {
      %v = memref.load %x[%i] : memref<?xf64>
      %w = arith.mulf %v, %alpha : f64
      memref.store %w, %x[%i] : memref<?xf64>
    }
  }
  return
}
