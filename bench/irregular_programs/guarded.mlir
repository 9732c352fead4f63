// Functions with a domain under conditions, guarded loops, triangular stores.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @safe_ratio(%p: memref<?xf64>, %q: memref<?xf64>, %r: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %p, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %p[%i] : memref<?xf64>
    %b = affine.load %q[%i] : memref<?xf64>
    %ok = arith.cmpf ogt, %b, %zero : f64
    %v = scf.if %ok -> (f64) {
      %d = arith.divf %a, %b : f64
      scf.yield %d : f64
    } else {
      scf.yield %zero : f64
    }
    affine.store %v, %r[%i] : memref<?xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @nested(%a: memref<?xf32>, %p: memref<?xf32>, %q: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %d = memref.load %a[%i] : memref<?xf32>
    %v = memref.load %p[%i] : memref<?xf32>
    %some = arith.cmpf one, %d, %zero : f32
    scf.if %some {
      %real = arith.cmpf oge, %v, %zero : f32
      scf.if %real {
        %s = math.sqrt %v : f32
        %t = arith.divf %s, %d : f32
        memref.store %t, %q[%i] : memref<?xf32>
      } else {
        memref.store %minus, %q[%i] : memref<?xf32>
      }
    }
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @kernel(%x: memref<?x?xf64>, %g: f64, %k: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?x?xf64>
  %m = memref.dim %x, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %s = affine.for %d = 0 to %m iter_args(%a = %zero) -> (f64) {
        %u = affine.load %x[%i, %d] : memref<?x?xf64>
        %v = affine.load %x[%j, %d] : memref<?x?xf64>
        %w = arith.subf %u, %v : f64
        %ww = arith.mulf %w, %w : f64
        %b = arith.addf %a, %ww : f64
        affine.yield %b : f64
      }
      %gs = arith.mulf %g, %s : f64
      %e = arith.negf %gs : f64
      %f = math.exp %e : f64
      affine.store %f, %k[%i, %j] : memref<?x?xf64>
      affine.store %f, %k[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @quotients(%p: memref<?xi32>, %q: memref<?xi32>, %r: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %p, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %p[%i] : memref<?xi32>
    %b = memref.load %q[%i] : memref<?xi32>
    %ok = arith.cmpi sgt, %b, %zero : i32
    scf.if %ok {
      %d = arith.divsi %a, %b : i32
      memref.store %d, %r[%i] : memref<?xi32>
    }
  }
  return
}
