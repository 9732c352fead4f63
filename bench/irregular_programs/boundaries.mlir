// Windows at the edges: clamped, wrapped, or left out.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @clamped(%x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %weight = arith.constant 0.25 : f64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %last = arith.subi %n, %c1 : index
  scf.for %i = %c0 to %n step %c1 {
    %before = arith.subi %i, %c1 : index
    %after = arith.addi %i, %c1 : index
    %l = arith.maxsi %before, %c0 : index
    %r = arith.minsi %after, %last : index
    %a = memref.load %x[%l] : memref<?xf64>
    %b = memref.load %x[%i] : memref<?xf64>
    %c = memref.load %x[%r] : memref<?xf64>
    %s = arith.addf %a, %b : f64
    %t = arith.addf %s, %c : f64
    %m = arith.mulf %t, %weight : f64
    memref.store %m, %y[%i] : memref<?xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @periodic(%u: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %u, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %after = arith.addi %i, %c1 : index
    %next = arith.remui %after, %n : index
    %a = memref.load %u[%next] : memref<?xf32>
    %b = memref.load %u[%i] : memref<?xf32>
    %d = arith.subf %a, %b : f32
    memref.store %d, %out[%i] : memref<?xf32>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @neighbours(%a: memref<?x?xi32>, %count: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %h = memref.dim %a, %c0 : memref<?x?xi32>
  %w = memref.dim %a, %c1 : memref<?x?xi32>
  affine.for %y = 0 to %h {
    affine.for %x = 0 to %w {
      %up = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%y) -> i32 {
        %v = affine.load %a[%y - 1, %x] : memref<?x?xi32>
        affine.yield %v : i32
      } else {
        affine.yield %zero : i32
      }
      %down = affine.if affine_set<(d0)[s0] : (s0 - d0 - 2 >= 0)>(%y)[%h] -> i32 {
        %v = affine.load %a[%y + 1, %x] : memref<?x?xi32>
        affine.yield %v : i32
      } else {
        affine.yield %zero : i32
      }
      %s = arith.addi %up, %down : i32
      affine.store %s, %count[%y, %x] : memref<?x?xi32>
    }
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @same(%x: memref<?xf64>, %w: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %m = memref.dim %w, %c0 : memref<?xf64>
  %half = arith.divsi %m, %c2 : index
  scf.for %i = %c0 to %n step %c1 {
    %sum = scf.for %k = %c0 to %m step %c1 iter_args(%s = %zero) -> (f64) {
      %ik = arith.addi %i, %k : index
      %j = arith.subi %ik, %half : index
      %ge = arith.cmpi sge, %j, %c0 : index
      %lt = arith.cmpi slt, %j, %n : index
      %inside = arith.andi %ge, %lt : i1
      %t = scf.if %inside -> (f64) {
        %a = memref.load %w[%k] : memref<?xf64>
        %b = memref.load %x[%j] : memref<?xf64>
        %ab = arith.mulf %a, %b : f64
        %u = arith.addf %s, %ab : f64
        scf.yield %u : f64
      } else {
        scf.yield %s : f64
      }
      scf.yield %t : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @wrapped_window(%n: index, %m: index, %y: memref<?xf64>, %x: memref<?xf64>, %w: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %sum = affine.for %k = 0 to %m iter_args(%s = %zero) -> (f64) {
      %ik = arith.addi %i, %k : index
      %j = arith.remsi %ik, %n : index
      %a = affine.load %w[%k] : memref<?xf64>
      %b = memref.load %x[%j] : memref<?xf64>
      %ab = arith.mulf %a, %b : f64
      %t = arith.addf %s, %ab : f64
      affine.yield %t : f64
    }
    affine.store %sum, %y[%i] : memref<?xf64>
  }
  return
}
