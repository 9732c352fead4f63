// Modules of IREE between its phases.
// raised: 1, stays: main
#executable_target = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu = "generic", native_vector_size = 16 : i64}>
#device_target = #hal.device.target<"local", [#executable_target]> : !hal.device
module @m attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target
  util.func public @abs(%arg0: !hal.buffer_view) -> !hal.buffer_view
      attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @abs(%input0: tensor<f32>)"}} {
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<f32>
    %1 = math.absf %0 : tensor<f32>
    %2 = hal.tensor.export %1 "output0" : tensor<f32> -> !hal.buffer_view
    util.return %2 : !hal.buffer_view
  }
  func.func @main(%arg0: !hal.fence) {
    return
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
// raised: 1, stays:
#pipeline_layout = #hal.pipeline.layout<bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>
]>
hal.executable private @dispatch_0 {
  hal.executable.variant public @x target(<"llvm-cpu", "x", {ukernels = "none"}>) {
    hal.executable.export public @dispatch ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @dispatch() {
        %c0 = arith.constant 0 : index
        %0 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c0) : memref<8xf32>
        return
      }
    }
  }
}
func.func @dispatch(%A: memref<8xf32, #hal.descriptor_type<storage_buffer>>) {
  return
}
func.func @fill(%A: memref<8xf32>) attributes {layout = #hal.pipeline.layout<bindings = [ // two
    #hal.pipeline.binding<storage_buffer, "// none">
  ]>} {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays:
flow.executable private @ex {
  flow.executable.export public @entry workgroups(%arg0: index) -> (index, index, index) {
    flow.return %arg0, %arg0, %arg0 : index, index, index
  }
  builtin.module {
    func.func @entry(%arg0: !flow.dispatch.tensor<readonly:tensor<4xf32>>) {
      %0 = flow.dispatch.tensor.load %arg0, offsets = [0], sizes = [4], strides = [1] : !flow.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<4xf32>
      return
    }
  }
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays: tiled
#config = #iree_codegen.lowering_config<tile_sizes = [[32, 32], [8, 0]]>
#translation = #iree_codegen.translation_info<pipeline = CPUDoubleTilingExpert, {enable_loop_peeling}>
module {
  func.func @tiled(%A: memref<4x4xf32>) attributes {translation_info = #translation} {
    %id = hal.interface.workgroup.id[0] : index
    return
  }
  func.func @matmul(%A: memref<4x5xf32>, %B: memref<5x6xf32>, %C: memref<4x6xf32>) attributes {translation_info = #translation} {
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 6 {
        affine.for %k = 0 to 5 {
          %a = affine.load %A[%i, %k] : memref<4x5xf32>
          %b = affine.load %B[%k, %j] : memref<5x6xf32>
          %c = affine.load %C[%i, %j] : memref<4x6xf32>
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          affine.store %s, %C[%i, %j] : memref<4x6xf32>
        }
      }
    } {lowering_config = #config}
    return
  }
}
// -----
// raised: 1, stays:
vm.module public @module attributes {ordinal_counts = #vm.ordinal_counts<import_funcs = 0, export_funcs = 1>} {
  vm.rodata private @utf8 {alignment = 1 : i64} "inp//ut0"
  vm.func private @f(%arg0: i32) -> i32 {
    %c1 = vm.const.i32 1
    vm.br ^bb1(%c1 : i32)
  ^bb1(%0: i32):
    vm.return %0 : i32
  }
  vm.export @f attributes {ordinal = 0 : i32}
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays: workgroups
module {
  func.func @workgroups(%arg0: index) -> tensor<?xf32> {
    %0 = flow.dispatch.workgroups[%arg0](%arg0) : (index) -> tensor<?xf32>{%arg0} =
        (%arg1: index, %arg2: !flow.dispatch.tensor<writeonly:tensor<?xf32>>) {
      flow.return
    } count(%arg1: index) -> (index, index, index) {
      flow.return %arg1, %arg1, %arg1 : index, index, index
    }
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
// raised: 4, stays:
func.func private @ext(f32)
func.func @tiled(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  scf.forall (%i, %j) = (0, 0) to (64, 64) step (16, 16) {
    %a = memref.subview %A[%i, %j] [16, 16] [1, 1] : memref<64x64xf32> to memref<16x16xf32, strided<[64, 1], offset: ?>>
    %b = memref.subview %B[%i, %j] [16, 16] [1, 1] : memref<64x64xf32> to memref<16x16xf32, strided<[64, 1], offset: ?>>
    linalg.exp ins(%a : memref<16x16xf32, strided<[64, 1], offset: ?>>) outs(%b : memref<16x16xf32, strided<[64, 1], offset: ?>>)
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @kept(%A: memref<8x16xf32>, %B: memref<?xf32>, %n: index) {
  %c2 = arith.constant 2 : index
  scf.forall (%i, %k) = (0, %c2) to (8, %n) step (1, 2) {
    affine.for %j = 0 to 16 {
      %0 = memref.load %A[%i, %j] : memref<8x16xf32>
      affine.store %0, %B[%j] : memref<?xf32>
    }
    %1 = memref.load %B[%k] : memref<?xf32>
    func.call @ext(%1) : (f32) -> ()
  } {mapping = [#gpu.thread<x>, #gpu.thread<y>]}
  return
}
func.func @scope(%A: memref<?xf32>, %n: index) {
  scf.forall (%i) in (%n) {
    memref.alloca_scope {
      %t = memref.alloca() : memref<1xf32>
      %0 = memref.load %A[%i] : memref<?xf32>
      affine.store %0, %t[0] : memref<1xf32>
      %1 = affine.load %t[0] : memref<1xf32>
      %2 = arith.negf %1 : f32
      memref.store %2, %A[%i] : memref<?xf32>
    }
  }
  return
}
func.func @seen(%A: memref<*xf32>, %n: index) {
  %x = memref.cast %A : memref<*xf32> to memref<?xf32>
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.store %z, %x[%i] : memref<?xf32>
  }
  return
}
func.func @tensors(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %t) -> (tensor<8xf32>) {
    %x = tensor.extract_slice %o[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
