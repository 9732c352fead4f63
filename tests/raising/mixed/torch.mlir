// Modules of torch-mlir: its own dialect, which mlir-opt does not have, and what it lowers to.
// raised: 1, stays: forward
module attributes {torch.debug_module_name = "Net"} {
  func.func @forward(%arg0: !torch.vtensor<[?,3],f32>) -> !torch.vtensor<[?,4],f32> attributes {torch.assume_strict_symbolic_shapes} {
    %none = torch.constant.none
    %0 = torch.vtensor.literal(dense_resource<torch_tensor_4_3_torch.float32> : tensor<4x3xf32>) : !torch.vtensor<[4,3],f32>
    %int0 = torch.constant.int 0
    %1 = torch.aten.linear %arg0, %0, %none : !torch.vtensor<[?,3],f32>, !torch.vtensor<[4,3],f32>, !torch.none -> !torch.vtensor<[?,4],f32>
    return %1 : !torch.vtensor<[?,4],f32>
  }
  func.func @fill(%A: memref<8xf32>) {
    %z = arith.constant 0.0 : f32
    affine.for %i = 0 to 8 {
      affine.store %z, %A[%i] : memref<8xf32>
    }
    return
  }
}
{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_3_torch.float32: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
// -----
// raised: 1, stays:
torch.global_slot.module_initializer {
  %0 = torch.constant.float 1.000000e+00
  torch.initialize.global_slots [
    @weight(%0 : !torch.float)
  ]
}
torch.class_type @c {
  torch.attr private "f" : !torch.float
  torch.method "forward", @method
}
func.func private @method(%arg0: !torch.nn.Module<"c">)
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays: branches
module {
  func.func @branches(%arg0: !torch.bool, %arg1: !torch.int) -> !torch.int {
    %int1 = torch.constant.int 1
    %0 = torch.prim.If %arg0 -> (!torch.int) {
      torch.prim.If.yield %arg1 : !torch.int
    } else {
      torch.prim.If.yield %int1 : !torch.int
    }
    torch.prim.Loop %arg1, %arg0, init() {
    ^bb0(%arg2: !torch.int):
      torch.prim.Loop.condition %arg0, iter()
    } : (!torch.int, !torch.bool) -> ()
    return %0 : !torch.int
  }
  func.func @total(%A: memref<8xf32>, %r: memref<f32>) {
    affine.for %i = 0 to 8 {
      %0 = affine.load %A[%i] : memref<8xf32>
      %1 = affine.load %r[] : memref<f32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %r[] : memref<f32>
    }
    return
  }
}
// -----
// raised: 1, stays: forward
#map = affine_map<(d0, d1) -> (d0, d1)>
module attributes {torch.debug_module_name = "M"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = tensor.empty() : tensor<2x3xf32>
    %s = ml_program.global_load @global_seed : tensor<i64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = math.tanh %in : f32
      linalg.yield %2 : f32
    } -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func @tanh(%arg0: memref<2x3xf32>, %arg1: memref<2x3xf32>) {
    affine.for %i = 0 to 2 {
      affine.for %j = 0 to 3 {
        %0 = affine.load %arg0[%i, %j] : memref<2x3xf32>
        %1 = math.tanh %0 : f32
        affine.store %1, %arg1[%i, %j] : memref<2x3xf32>
      }
    }
    return
  }
}
// -----
// raised: 1, stays: onnx
module {
  func.func @onnx(%arg0: !torch.vtensor<[2,2],f32>) -> !torch.vtensor<[2,2],f32> attributes {torch.onnx_meta.ir_version = 7 : si64, torch.onnx_meta.producer_name = "backend-test {"} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Relu"(%arg0) {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[2,2],f32>) -> !torch.vtensor<[2,2],f32>
    return %0 : !torch.vtensor<[2,2],f32>
  }
  func.func @copy(%A: memref<8xf32>, %B: memref<8xf32>) {
    affine.for %i = 0 to 8 {
      %0 = affine.load %A[%i] : memref<8xf32>
      affine.store %0, %B[%i] : memref<8xf32>
    }
    return
  }
}
// -----
// raised: 1, stays: tcp
module {
  func.func @tcp(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    %0 = tcp.custom_op("x.y") %arg0 {a = array<i64: 1, 2>} : tensor<?xf32> -> tensor<?xf32>
    %1 = tm_tensor.scan dimension(0) inclusive(true) ins(%0 : tensor<?xf32>) outs(%0, %0 : tensor<?xf32>, tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      tm_tensor.yield %a : f32
    } -> tensor<?xf32>, tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func @fill(%A: memref<8xf32>) {
    %z = arith.constant 0.0 : f32
    affine.for %i = 0 to 8 {
      affine.store %z, %A[%i] : memref<8xf32>
    }
    return
  }
}
// -----
// raised: 3, stays: shared
memref.global "private" constant @w : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> {alignment = 64 : i64}
memref.global "private" @own : memref<4xf32> = dense<0.0>
func.func @constant(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  %w = memref.get_global @w : memref<4xf32>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      %0 = affine.load %x[%i, %j] : memref<8x4xf32>
      %1 = affine.load %w[%j] : memref<4xf32>
      %2 = arith.mulf %0, %1 : f32
      affine.store %2, %y[%i, %j] : memref<8x4xf32>
    }
  }
  return
}
func.func @variable(%y: memref<4xf32>) {
  %w = memref.get_global @own : memref<4xf32>
  affine.for %j = 1 to 4 {
    %1 = affine.load %w[%j - 1] : memref<4xf32>
    affine.store %1, %y[%j] : memref<4xf32>
  }
  return
}
func.func @quantised(%x: memref<16xi8>, %o: memref<16xf32>, %s: f32, %z: i8) {
  %a = memref.assume_alignment %x, 64 : memref<16xi8>
  affine.for %i = 0 to 16 {
    %0 = affine.load %a[%i] : memref<16xi8>
    %1 = arith.extui %0 : i8 to i32
    %2 = arith.extui %z : i8 to i32
    %3 = arith.subi %1, %2 : i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.mulf %4, %s : f32
    affine.store %5, %o[%i] : memref<16xf32>
  }
  return
}
func.func @rows(%A: memref<?xf32>, %n: index, %m: index) {
  %c4 = arith.constant 4 : index
  %s = arith.muli %m, %c4 : index
  %v = memref.reinterpret_cast %A to offset: [0], sizes: [%n, %m, 4], strides: [%s, 4, 1] : memref<?xf32> to memref<?x?x4xf32, strided<[?, 4, 1]>>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to 4 {
        %0 = affine.load %v[%i, %j, %k] : memref<?x?x4xf32, strided<[?, 4, 1]>>
        %1 = arith.addf %0, %0 : f32
        affine.store %1, %v[%i, %j, %k] : memref<?x?x4xf32, strided<[?, 4, 1]>>
      }
    }
  }
  return
}
func.func @overlapping(%A: memref<?xf32>, %n: index) {
  %v = memref.reinterpret_cast %A to offset: [0], sizes: [%n, %n], strides: [1, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, ?]>>
  affine.for %i = 0 to %n {
    %0 = affine.load %v[%i, 0] : memref<?x?xf32, strided<[?, ?]>>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %v[%i, 0] : memref<?x?xf32, strided<[?, ?]>>
  }
  return
}
func.func @shared(%A: memref<256xf32>) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c256, %ly = %c1, %lz = %c1)
      workgroup(%s : memref<256xf32, #gpu.address_space<workgroup>>) {
    gpu.terminator
  }
  return
}
