// What Polygeist prints before it raises loops to affine: 32-bit bounds, scf loops, memref accesses.
func.func @dot(%arg0: i32, %arg1: memref<?xf64>, %arg2: memref<?xf64>) -> f64 {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0.000000e+00 : f64
  %0 = arith.index_cast %arg0 : i32 to index
  %1 = scf.for %arg3 = %c0 to %0 step %c1 iter_args(%arg4 = %cst) -> (f64) {
    %2 = memref.load %arg1[%arg3] : memref<?xf64>
    %3 = memref.load %arg2[%arg3] : memref<?xf64>
    %4 = arith.mulf %2, %3 : f64
    %5 = arith.addf %arg4, %4 : f64
    scf.yield %5 : f64
  }
  return %1 : f64
}
