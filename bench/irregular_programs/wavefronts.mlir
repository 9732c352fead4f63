// Tables in which a cell needs its neighbours above and to the left.

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
func.func @edit_distance(%s: memref<?xi8>, %t: memref<?xi8>, %d: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = memref.dim %s, %c0 : memref<?xi8>
  %n = memref.dim %t, %c0 : memref<?xi8>
  affine.for %i = 0 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
    %v = arith.index_cast %i : index to i32
    affine.store %v, %d[%i, 0] : memref<?x?xi32>
  }
  affine.for %j = 0 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    %v = arith.index_cast %j : index to i32
    affine.store %v, %d[0, %j] : memref<?x?xi32>
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %a = affine.load %s[%i] : memref<?xi8>
      %b = affine.load %t[%j] : memref<?xi8>
      %same = arith.cmpi eq, %a, %b : i8
      %cost = arith.select %same, %zero, %one : i32
      %up = affine.load %d[%i, %j + 1] : memref<?x?xi32>
      %left = affine.load %d[%i + 1, %j] : memref<?x?xi32>
      %both = affine.load %d[%i, %j] : memref<?x?xi32>
      %near = arith.minsi %up, %left : i32
      %step = arith.addi %near, %one overflow<nsw> : i32
      %sub = arith.addi %both, %cost overflow<nsw> : i32
      %best = arith.minsi %step, %sub : i32
      affine.store %best, %d[%i + 1, %j + 1] : memref<?x?xi32>
    }
  }
  return
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
func.func @relax(%u: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %quarter = arith.constant 0.25 : f64
  %h = memref.dim %u, %c0 : memref<?x?xf64>
  %w = memref.dim %u, %c1 : memref<?x?xf64>
  affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%h] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%w] {
      %n = affine.load %u[%i - 1, %j] : memref<?x?xf64>
      %s = affine.load %u[%i + 1, %j] : memref<?x?xf64>
      %l = affine.load %u[%i, %j - 1] : memref<?x?xf64>
      %r = affine.load %u[%i, %j + 1] : memref<?x?xf64>
      %ns = arith.addf %n, %s : f64
      %lr = arith.addf %l, %r : f64
      %t = arith.addf %ns, %lr : f64
      %q = arith.mulf %t, %quarter : f64
      affine.store %q, %u[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
func.func @cheapest(%cost: memref<?x?xf64>, %best: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.dim %cost, %c0 : memref<?x?xf64>
  %w = memref.dim %cost, %c1 : memref<?x?xf64>
  scf.for %i = %c1 to %h step %c1 {
    %up = arith.subi %i, %c1 : index
    scf.for %j = %c1 to %w step %c1 {
      %left = arith.subi %j, %c1 : index
      %a = memref.load %best[%up, %j] : memref<?x?xf64>
      %b = memref.load %best[%i, %left] : memref<?x?xf64>
      %less = arith.cmpf olt, %a, %b : f64
      %near = arith.select %less, %a, %b : f64
      %c = memref.load %cost[%i, %j] : memref<?x?xf64>
      %t = arith.addf %near, %c : f64
      memref.store %t, %best[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
