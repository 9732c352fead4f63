// scf.parallel over the inner part of a matrix.
func.func @halve(%A: memref<?x?xf64>, %n: index, %m: index) {
  %c1 = arith.constant 1 : index
  %half = arith.constant 5.0e-01 : f64
  scf.parallel (%i, %j) = (%c1, %c1) to (%n, %m) step (%c1, %c1) {
    %a = memref.load %A[%i, %j] : memref<?x?xf64>
    %p = arith.mulf %a, %half : f64
    memref.store %p, %A[%i, %j] : memref<?x?xf64>
    scf.reduce
  }
  return
}
