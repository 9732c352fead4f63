// Data chooses the cell that is written or updated; of those that write one cell the last wins.
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
func.func @scatter(%idx: memref<?xi32>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %idx, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %k = affine.load %idx[%i] : memref<?xi32>
    %p = arith.index_cast %k : i32 to index
    %v = affine.load %x[%i] : memref<?xf64>
    memref.store %v, %y[%p] : memref<?xf64>
  }
  return
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
func.func @histogram(%key: memref<?xi32>, %count: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %key, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %k = memref.load %key[%i] : memref<?xi32>
    %p = arith.index_cast %k : i32 to index
    %old = memref.load %count[%p] : memref<?xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %count[%p] : memref<?xi32>
  }
  return
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
func.func @largest_by_key(%key: memref<?xi64>, %v: memref<?xf32>, %best: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %key, %c0 : memref<?xi64>
  affine.for %i = 0 to %n {
    %k = affine.load %key[%i] : memref<?xi64>
    %p = arith.index_cast %k : i64 to index
    %a = affine.load %v[%i] : memref<?xf32>
    %b = memref.load %best[%p] : memref<?xf32>
    %larger = arith.cmpf ogt, %a, %b : f32
    %m = arith.select %larger, %a, %b : f32
    memref.store %m, %best[%p] : memref<?xf32>
  }
  return
}
