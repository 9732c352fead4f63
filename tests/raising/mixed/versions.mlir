// Modules as mlir-opt of earlier versions prints them; upstream reads not all of these any more.
// raised: 1, stays:
module  {
  func @fill(%arg0: memref<8xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg1 = 0 to 8 {
      affine.store %cst, %arg0[%arg1] : memref<8xf32>
    }
    return
  }
}
// -----
// raised: 1, stays:
func.func @greatest(%arg0: memref<8xf32>, %arg1: memref<1xf32>) {
  affine.for %arg2 = 0 to 8 {
    %0 = affine.load %arg0[%arg2] : memref<8xf32>
    %1 = affine.load %arg1[0] : memref<1xf32>
    %2 = arith.maxf %0, %1 : f32
    affine.store %2, %arg1[0] : memref<1xf32>
  }
  return
}
// -----
// raised: 1, stays:
func.func @sum(%A: memref<8xf32>, %r: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %z) -> f32 {
    %a = memref.load %A[%i] : memref<8xf32>
    %u = arith.addf %t, %a : f32
    scf.yield %u : f32
  }
  affine.store %s, %r[0] : memref<1xf32>
  return
}
// -----
// raised: 1, stays: std
func.func @std(%arg0: f32) -> f32 {
  %0 = std.addf %arg0, %arg0 : f32
  %1 = constant 1.0 : f32
  return %0 : f32
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays: bufferized
func.func @bufferized(%arg0: tensor<4xf32>) -> memref<4xf32> {
  %0 = bufferization.to_memref %arg0 : memref<4xf32>
  %1 = linalg.init_tensor [4] : tensor<4xf32>
  return %0 : memref<4xf32>
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays: typed
llvm.mlir.global internal constant @s("hi\00")
llvm.func @puts(!llvm.ptr<i8>) -> i32 attributes {sym_visibility = "private"}
func.func @typed(%arg0: !llvm.ptr<struct<(i32, ptr<i8>)>>) {
  return
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 0, stays: old, fill
"builtin.module"() ( {
  "func"() ( {
  ^bb0(%arg0: memref<8xf32>):  // no predecessors
    "std.return"() : () -> ()
  }) {sym_name = "old", type = (memref<8xf32>) -> ()} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: memref<8xf32>):
    %cst = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    "affine.for"() ({
    ^bb0(%arg1: index):
      "affine.store"(%cst, %arg0, %arg1) {map = affine_map<(d0) -> (d0)>} : (f32, memref<8xf32>, index) -> ()
      "affine.yield"() : () -> ()
    }) {lower_bound = affine_map<() -> (0)>, step = 1 : index, upper_bound = affine_map<() -> (8)>} : () -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<8xf32>) -> (), sym_name = "fill"} : () -> ()
}) : () -> ()
// -----
// raised: 1, stays: parallel
func.func @parallel(%arg0: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.foreach_thread (%arg1) in (%c8) -> () {
    scf.foreach_thread.perform_concurrently {
    }
  }
  return
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
