// Reads at places that depend on data.
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @gather(%idx: memref<?xi32>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %idx, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %k = affine.load %idx[%i] : memref<?xi32>
    %p = arith.index_cast %k : i32 to index
    %v = memref.load %x[%p] : memref<?xf64>
    affine.store %v, %y[%i] : memref<?xf64>
  }
  return
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @embedding(%token: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?x?xf32>
  %d = memref.dim %out, %c1 : memref<?x?xf32>
  scf.for %t = %c0 to %n step %c1 {
    %k = memref.load %token[%t] : memref<?xindex>
    scf.for %j = %c0 to %d step %c1 {
      %v = memref.load %table[%k, %j] : memref<?x?xf32>
      memref.store %v, %out[%t, %j] : memref<?x?xf32>
    }
  }
  return
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @total(%idx: memref<?xi64>, %x: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %idx, %c0 : memref<?xi64>
  %s = affine.for %i = 0 to %n iter_args(%a = %zero) -> (f32) {
    %k = affine.load %idx[%i] : memref<?xi64>
    %p = arith.index_cast %k : i64 to index
    %v = memref.load %x[%p] : memref<?xf32>
    %b = arith.addf %a, %v : f32
    affine.yield %b : f32
  }
  return %s : f32
}

#map = affine_map<(d0, d1) -> (d0, d1)>
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @lookup(%image: memref<?x?xi32>, %palette: memref<?xf32>, %out: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%image : memref<?x?xi32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%k: i32, %old: f32):
    %p = arith.index_cast %k : i32 to index
    %v = memref.load %palette[%p] : memref<?xf32>
    linalg.yield %v : f32
  }
  return
}
