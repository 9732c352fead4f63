// RUN: tensorlift-opt %s --raise-affine-to-linalg --cse --canonicalize 2>/dev/null | filecheck %s
// RUN: not tensorlift-lift %s 2>/dev/null | filecheck %s --check-prefix=LIFT

// A function whose blocks jump back is raised as a whole: loops as `convert-scf-to-cf` and compilers of C print them.
// CHECK-LABEL: func.func private @matvec_raised
// CHECK-NOT: cf.br
// CHECK: linalg.fill
// CHECK: linalg.matvec
// CHECK-LABEL: func.func private @matvec_original
// CHECK: cf.br ^bb1
// LIFT: y[:m] = A[:m] @ x
func.func @matvec(%A: memref<8x6xf32>, %x: memref<6xf32>, %y: memref<?xf32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 6 : i32
  %z = arith.constant 0.0 : f32
  cf.br ^bb1(%c0 : i32)
^bb1(%i: i32):
  %p = arith.cmpi slt, %i, %m : i32
  cf.cond_br %p, ^bb2(%c0, %z : i32, f32), ^bb5
^bb2(%j: i32, %s: f32):
  %q = arith.cmpi slt, %j, %n : i32
  cf.cond_br %q, ^bb3, ^bb4
^bb3:
  %ii = arith.index_cast %i : i32 to index
  %jj = arith.index_cast %j : i32 to index
  %a = memref.load %A[%ii, %jj] : memref<8x6xf32>
  %b = memref.load %x[%jj] : memref<6xf32>
  %product = arith.mulf %a, %b : f32
  %sum = arith.addf %s, %product : f32
  %next = arith.addi %j, %c1 : i32
  cf.br ^bb2(%next, %sum : i32, f32)
^bb4:
  %row = arith.index_cast %i : i32 to index
  memref.store %s, %y[%row] : memref<?xf32>
  %more = arith.addi %i, %c1 : i32
  cf.br ^bb1(%more : i32)
^bb5:
  return
}

// One that only jumps ahead has nests in its blocks; what they take from other blocks may be anything.
// CHECK-LABEL: func.func @chosen
// CHECK: cf.cond_br
// CHECK: linalg.copy
// CHECK: affine.for
// LIFT: # chosen: refused [TL145]
func.func @chosen(%x: memref<8xf64>, %y: memref<8xf64>, %p: i1) {
  cf.cond_br %p, ^bb1(%x : memref<8xf64>), ^bb1(%y : memref<8xf64>)
^bb1(%z: memref<8xf64>):
  %own = memref.alloc() : memref<8xf64>
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf64>
    affine.store %v, %own[%i] : memref<8xf64>
  }
  affine.for %i = 1 to 8 {
    %v = affine.load %x[%i - 1] : memref<8xf64>
    affine.store %v, %z[%i] : memref<8xf64>
  }
  memref.dealloc %own : memref<8xf64>
  return
}

// LIFT: np.where(mode == 1, 2.0, np.where(mode == -7, 0.5, 1.0))
// LIFT: # switch: loop-free, proved
func.func @switch(%x: memref<8xf64>, %mode: i32) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %half = arith.constant 0.5 : f64
  cf.switch %mode : i32, [
    default: ^bb1(%one : f64),
    1: ^bb1(%two : f64),
    -7: ^bb1(%half : f64)
  ]
^bb1(%f: f64):
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf64>
    %w = arith.mulf %v, %f : f64
    affine.store %w, %x[%i] : memref<8xf64>
  }
  return
}

// LIFT: # forever: refused [TL195]
func.func @forever() {
  cf.br ^bb1
^bb1:
  cf.br ^bb1
}

// LIFT: requires x.shape[0] == y.shape[0]
func.func @asserted(%x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %m = memref.dim %y, %c0 : memref<?xf64>
  %p = arith.cmpi eq, %n, %m : index
  cf.assert %p, "sizes differ"
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    affine.store %v, %y[%i] : memref<?xf64>
  }
  return
}

// LIFT: # poison: loop-free, proved
func.func @poison(%x: memref<8xf64>, %p: i1, %a: f64) {
  %u = ub.poison : f64
  affine.for %i = 0 to 8 {
    %v = arith.select %p, %a, %u : f64
    scf.if %p {
      affine.store %v, %x[%i] : memref<8xf64>
    }
  }
  return
}

// LIFT: np.full(n, 2.0)
// CHECK-LABEL: func.func @made
// CHECK: cf.br
func.func @made(%n: index) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 2.0 : f64
  %a = memref.alloc(%n) : memref<?xf64>
  cf.br ^bb1(%c0 : index)
^bb1(%i: index):
  %p = arith.cmpi slt, %i, %n : index
  cf.cond_br %p, ^bb2, ^bb3
^bb2:
  memref.store %z, %a[%i] : memref<?xf64>
  %j = arith.addi %i, %c1 : index
  cf.br ^bb1(%j : index)
^bb3:
  return %a : memref<?xf64>
}

// LIFT: # chosen_number: loop-free, proved
func.func @chosen_number(%a: f64, %b: f64, %p: i1) -> f64 {
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  return %a : f64
^bb2:
  return %b : f64
}
