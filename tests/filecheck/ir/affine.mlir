// RUN: tensorlift-ir %s | filecheck %s

// Symbols of a subscript stay symbols, and attributes on accesses stay.
// CHECK-LABEL: func.func @subscripts
func.func @subscripts(%n: index {tl.name = "n"}, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    // CHECK: %v = affine.load %A[%i, symbol(%n) - 1] {tl.mark} : memref<?x?xf64>
    %v = affine.load %A[%i, symbol(%n) - 1] {tl.mark} : memref<?x?xf64>
    // CHECK-NEXT: affine.store %v, %A[%i floordiv 2, (%i + %n) mod 3] : memref<?x?xf64>
    affine.store %v, %A[%i floordiv 2, (%i + %n) mod 3] : memref<?x?xf64>
  }
  return
}

// CHECK-LABEL: func.func @branches
func.func @branches(%n: index, %a: f64, %b: f64) -> f64 {
  // CHECK: %r = affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%n] -> f64 {
  // CHECK-NEXT: affine.yield %a : f64
  // CHECK-NEXT: } else {
  // CHECK-NEXT: affine.yield %b : f64
  // CHECK-NEXT: }
  %r = affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%n] -> f64 {
    affine.yield %a : f64
  } else {
    affine.yield %b : f64
  }
  return %r : f64
}

// CHECK-LABEL: func.func @extremes
func.func @extremes(%n: index) -> index {
  // CHECK: affine.max affine_map<()[s0] -> (s0, 3)>()[%n]
  %m = affine.max affine_map<()[s0] -> (s0, 3)>()[%n]
  // CHECK-NEXT: affine.min affine_map<(d0) -> (d0, 7)>(%m)
  %k = affine.min affine_map<(d0) -> (d0, 7)>(%m)
  return %k : index
}

// CHECK-LABEL: func.func @remainder
func.func @remainder(%a: f64, %b: f64) -> f64 {
  // CHECK: arith.remf %a, %b : f64
  %r = arith.remf %a, %b : f64
  return %r : f64
}
