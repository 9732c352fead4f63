// First hits, and prefixes up to them.

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
func.func @prefix(%n: index, %x: memref<?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %i, %s, %go = scf.while (%i = %c0, %s = %zero, %go = %true) : (index, f64, i1) -> (index, f64, i1) {
    %inside = arith.cmpi slt, %i, %n : index
    %both = arith.andi %inside, %go : i1
    scf.condition(%both) %i, %s, %go : index, f64, i1
  } do {
  ^bb0(%i: index, %s: f64, %go: i1):
    %v = memref.load %x[%i] : memref<?xf64>
    %ok = arith.cmpf oge, %v, %zero : f64
    %t = scf.if %ok -> (f64) {
      %u = arith.addf %s, %v : f64
      scf.yield %u : f64
    } else {
      scf.yield %s : f64
    }
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %t, %ok : index, f64, i1
  }
  return %s : f64
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @first(%n: index, %x: memref<?xi32>, %key: i32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = scf.while (%i = %c0) : (index) -> index {
    %inside = arith.cmpi slt, %i, %n : index
    %go = scf.if %inside -> (i1) {
      %v = memref.load %x[%i] : memref<?xi32>
      %other = arith.cmpi ne, %v, %key : i32
      scf.yield %other : i1
    } else {
      %false = arith.constant false
      scf.yield %false : i1
    }
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return %k : index
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @clear(%n: index, %x: memref<?xf32>, %limit: f32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = scf.while (%i = %c0) : (index) -> index {
    %inside = arith.cmpi slt, %i, %n : index
    %go = scf.if %inside -> (i1) {
      %v = memref.load %x[%i] : memref<?xf32>
      %small = arith.cmpf olt, %v, %limit : f32
      scf.yield %small : i1
    } else {
      %false = arith.constant false
      scf.yield %false : i1
    }
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    memref.store %zero, %x[%i] : memref<?xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @value_at_hit(%n: index, %x: memref<?xf64>, %y: memref<?xf64>, %limit: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1.0 : f64
  %k = scf.while (%i = %c0) : (index) -> index {
    %inside = arith.cmpi slt, %i, %n : index
    %go = scf.if %inside -> (i1) {
      %v = memref.load %x[%i] : memref<?xf64>
      %small = arith.cmpf ole, %v, %limit : f64
      scf.yield %small : i1
    } else {
      %false = arith.constant false
      scf.yield %false : i1
    }
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  %found = arith.cmpi slt, %k, %n : index
  %r = scf.if %found -> (f64) {
    %w = memref.load %y[%k] : memref<?xf64>
    scf.yield %w : f64
  } else {
    scf.yield %none : f64
  }
  return %r : f64
}
