// Extremes with their places.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @argmax(%x: memref<?xf64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %first = memref.load %x[%c0] : memref<?xf64>
  %best, %at = scf.for %i = %c1 to %n step %c1 iter_args(%b = %first, %k = %c0) -> (f64, index) {
    %v = memref.load %x[%i] : memref<?xf64>
    %more = arith.cmpf ogt, %v, %b : f64
    %c = arith.select %more, %v, %b : f64
    %l = arith.select %more, %i, %k : index
    scf.yield %c, %l : f64, index
  }
  return %at : index
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
func.func @last_min(%x: memref<?xi32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %high = arith.constant 2147483647 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  %best, %at = scf.for %i = %c0 to %n step %c1 iter_args(%b = %high, %k = %c0) -> (i32, index) {
    %v = memref.load %x[%i] : memref<?xi32>
    %le = arith.cmpi sle, %v, %b : i32
    %c, %l = scf.if %le -> (i32, index) {
      scf.yield %v, %i : i32, index
    } else {
      scf.yield %b, %k : i32, index
    }
    scf.yield %c, %l : i32, index
  }
  return %at : index
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @row_argmax(%score: memref<?x?xf32>, %label: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %n = memref.dim %score, %c0 : memref<?x?xf32>
  %m = memref.dim %score, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %best, %at = scf.for %j = %c0 to %m step %c1 iter_args(%b = %low, %k = %c0) -> (f32, index) {
      %v = memref.load %score[%i, %j] : memref<?x?xf32>
      %more = arith.cmpf ogt, %v, %b : f32
      %c = arith.select %more, %v, %b : f32
      %l = arith.select %more, %j, %k : index
      scf.yield %c, %l : f32, index
    }
    memref.store %at, %label[%i] : memref<?xindex>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
func.func @argmin2(%a: memref<?x?xf64>, %place: memref<2xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %a[%c0, %c0] : memref<?x?xf64>
  %n = memref.dim %a, %c0 : memref<?x?xf64>
  %m = memref.dim %a, %c1 : memref<?x?xf64>
  %best, %row, %col = scf.for %i = %c0 to %n step %c1 iter_args(%b = %first, %r = %c0, %c = %c0) -> (f64, index, index) {
    %b1, %r1, %c1_ = scf.for %j = %c0 to %m step %c1 iter_args(%bb = %b, %rr = %r, %cc = %c) -> (f64, index, index) {
      %v = memref.load %a[%i, %j] : memref<?x?xf64>
      %less = arith.cmpf olt, %v, %bb : f64
      %b2 = arith.select %less, %v, %bb : f64
      %r2 = arith.select %less, %i, %rr : index
      %c2 = arith.select %less, %j, %cc : index
      scf.yield %b2, %r2, %c2 : f64, index, index
    }
    scf.yield %b1, %r1, %c1_ : f64, index, index
  }
  memref.store %row, %place[%c0] : memref<2xindex>
  memref.store %col, %place[%c1] : memref<2xindex>
  return
}
