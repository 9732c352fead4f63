// Conditional counters: what some iterations count is a place, an index or a number of its own.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @count_above(%x: memref<?xf64>, %t: f64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %k = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i64) {
    %v = memref.load %x[%i] : memref<?xf64>
    %p = arith.cmpf ogt, %v, %t : f64
    %b = arith.addi %a, %one : i64
    %s = arith.select %p, %b, %a : i64
    scf.yield %s : i64
  }
  return %k : i64
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
func.func @compress_positive(%x: memref<?xf64>, %out: memref<?xf64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %k = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %v = memref.load %x[%i] : memref<?xf64>
    %p = arith.cmpf ogt, %v, %zero : f64
    %s = scf.if %p -> (index) {
      memref.store %v, %out[%a] : memref<?xf64>
      %b = arith.addi %a, %c1 : index
      scf.yield %b : index
    } else {
      scf.yield %a : index
    }
    scf.yield %s : index
  }
  return %k : index
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
func.func @unpack(%mask: memref<?xi1>, %packed: memref<?xf64>, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %mask, %c0 : memref<?xi1>
  %k = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %p = memref.load %mask[%i] : memref<?xi1>
    %s = scf.if %p -> (index) {
      %v = memref.load %packed[%a] : memref<?xf64>
      memref.store %v, %out[%i] : memref<?xf64>
      %b = arith.addi %a, %c1 : index
      scf.yield %b : index
    } else {
      scf.yield %a : index
    }
    scf.yield %s : index
  }
  return
}
