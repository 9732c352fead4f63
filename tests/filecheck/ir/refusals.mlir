// RUN: not tensorlift-ir %s 2>&1 | filecheck %s

// An operation of another dialect is named with its place.
// CHECK: refusals.mlir:6:3: error TL191: 'cf.br' is not part of the loop IR (use only the dialects affine, arith
func.func @f() {
  cf.br ^bb1
^bb1:
  return
}
