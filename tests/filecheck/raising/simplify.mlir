// RUN: tensorlift-opt %s --canonicalize | filecheck %s
// RUN: tensorlift-opt %s --pass-pipeline='builtin.module(func.func(cse),canonicalize)' | filecheck %s --check-prefix=BOTH
// RUN: tensorlift-opt %s --cse --pass-statistics 2>&1 | filecheck %s --check-prefix=SAID

// SAID: cse:
// SAID-NEXT: operations removed

// A load behind a store stays.
// CHECK-LABEL: @twice
// CHECK-NOT: arith.addi
// CHECK: arith.constant 7 : index
// CHECK-COUNT-3: memref.load
// BOTH-LABEL: @twice
// BOTH-COUNT-2: memref.load
// BOTH-NOT: memref.load
func.func @twice(%A: memref<8xf64>, %i: index) -> f64 {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %at = arith.addi %c3, %c4 : index
  %unused = arith.muli %i, %i : index
  %x = memref.load %A[%at] : memref<8xf64>
  %y = memref.load %A[%at] : memref<8xf64>
  %s = arith.addf %x, %y : f64
  memref.store %s, %A[%at] : memref<8xf64>
  %z = memref.load %A[%at] : memref<8xf64>
  return %z : f64
}

// Neither -0.0 + 0.0 nor what may be NaN is folded; what overflows may be, to infinity.
// BOTH-LABEL: @floats
// BOTH: arith.addf
// BOTH: arith.subf
// BOTH: {{arith.addf|0x7f800000}}
func.func @floats(%x: f32) -> (f32, f32, f32) {
  %zero = arith.constant 0.0 : f32
  %big = arith.constant 3.0e38 : f32
  %a = arith.addf %x, %zero : f32
  %b = arith.subf %x, %x : f32
  %c = arith.addf %big, %big : f32
  return %a, %b, %c : f32, f32, f32
}

// BOTH-LABEL: @unused
func.func private @unused(%A: memref<4xf64>) {
  %zero = arith.constant 0.0 : f64
  // BOTH: linalg.fill
  linalg.fill ins(%zero : f64) outs(%A : memref<4xf64>)
  return
}
