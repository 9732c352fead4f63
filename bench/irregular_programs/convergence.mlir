// Loops of which data say how long they run: Newton, bisection, power iteration, sweeps until nothing changes.

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
func.func @newton_sqrt(%a: f64, %tol: f64) -> f64 {
  %big = arith.constant 1.0e30 : f64
  %half = arith.constant 5.0e-1 : f64
  %x, %err = scf.while (%x0 = %a, %e0 = %big) : (f64, f64) -> (f64, f64) {
    %more = arith.cmpf ogt, %e0, %tol : f64
    scf.condition(%more) %x0, %e0 : f64, f64
  } do {
  ^bb0(%x1: f64, %e1: f64):
    %q = arith.divf %a, %x1 : f64
    %s = arith.addf %x1, %q : f64
    %next = arith.mulf %half, %s : f64
    %d = arith.subf %next, %x1 : f64
    %e = math.absf %d : f64
    scf.yield %next, %e : f64, f64
  }
  return %x : f64
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
func.func @gcd(%a: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %r:2 = scf.while (%x = %a, %y = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %y, %zero : i64
    scf.condition(%more) %x, %y : i64, i64
  } do {
  ^bb0(%x: i64, %y: i64):
    %t = arith.remsi %x, %y : i64
    scf.yield %y, %t : i64, i64
  }
  return %r#0 : i64
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
func.func @smooth(%u: memref<?xf64>, %v: memref<?xf64>, %tol: f64) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 5.0e-1 : f64
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = memref.dim %u, %c0 : memref<?xf64>
  %start = arith.addf %tol, %half : f64
  %it, %last = scf.while (%k = %none, %change = %start) : (i32, f64) -> (i32, f64) {
    %more = arith.cmpf ogt, %change, %tol : f64
    scf.condition(%more) %k, %change : i32, f64
  } do {
  ^bb0(%k: i32, %change: f64):
    %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f64) {
      %a = memref.load %u[%i] : memref<?xf64>
      %b = memref.load %v[%i] : memref<?xf64>
      %d = arith.subf %b, %a : f64
      %step = arith.mulf %half, %d : f64
      %x = arith.addf %a, %step : f64
      memref.store %x, %u[%i] : memref<?xf64>
      %size = math.absf %step : f64
      %s = arith.addf %sum, %size : f64
      scf.yield %s : f64
    }
    %next = arith.addi %k, %one : i32
    scf.yield %next, %total : i32, f64
  }
  return %it : i32
}
