// RUN: not tensorlift-ir %s 2>&1 | filecheck %s

// An operation of another dialect is named with its place.
// CHECK: refusals.mlir:6:3: error TL191: 'omp.barrier' is not part of the loop IR (use only the dialects affine, arith
func.func @f() {
  omp.barrier
  return
}
