// Modules as mlir-opt 22 prints them, with functions of loops beside other dialects.
// raised: 1, stays:
gpu.module @kernels {
  gpu.func @scale(%arg0: memref<?xf32>, %arg1: f32) kernel {
    %0 = gpu.thread_id  x
    %1 = memref.load %arg0[%0] : memref<?xf32>
    %2 = arith.mulf %1, %arg1 : f32
    memref.store %2, %arg0[%0] : memref<?xf32>
    gpu.return
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
// raised: 2, stays:
module attributes {gpu.container_module, dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>} {
  gpu.module @k {
    gpu.func @touch(%arg0: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func @launch(%A: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@touch blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<8xf32>)
    return
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
// raised: 1, stays:
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func internal @twice(%arg0: i64 {llvm.noundef}) -> i64 attributes {passthrough = ["nounwind", ["uwtable", "2"]]} {
  %0 = llvm.mlir.constant(2 : i64) : i64
  %1 = llvm.mul %arg0, %0 overflow<nsw> : i64
  %2 = llvm.icmp "slt" %1, %0 : i64
  llvm.cond_br %2, ^bb1(%1 : i64), ^bb2
^bb1(%3: i64):  // pred: ^bb0
  llvm.return %3 : i64
^bb2:
  llvm.return %0 : i64
}
func.func @fill(%A: memref<8xi32>) {
  %z = arith.constant 3 : i32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xi32>
  }
  return
}
// -----
// raised: 2, stays:
func.func @branches(%c: i1, %A: memref<8xf64>) -> f64 {
  %z = arith.constant 0.0 : f64
  cf.cond_br %c, ^bb1(%z : f64), ^bb2
^bb1(%x: f64):
  affine.for %i = 0 to 8 {
    affine.store %x, %A[%i] : memref<8xf64>
  }
  cf.br ^bb2
^bb2:
  return %z : f64
}
func.func @fill(%A: memref<8xf64>) {
  %z = arith.constant 1.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf64>
  }
  return
}
// -----
// raised: 1, stays: show
func.func @show(%x: vector<4xf32>) {
  vector.print %x : vector<4xf32>
  return
}
func.func @total(%A: memref<16xf32>, %r: memref<1xf32>) {
  %z = arith.constant 0.0 : f32
  affine.store %z, %r[0] : memref<1xf32>
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xf32>
    %b = affine.load %r[0] : memref<1xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %r[0] : memref<1xf32>
  }
  return
}
// -----
// raised: 1, stays:
spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  spirv.func @add(%arg0: f32, %arg1: f32) -> f32 "None" {
    %0 = spirv.FAdd %arg0, %arg1 : f32
    spirv.ReturnValue %0 : f32
  }
  spirv.GlobalVariable @v bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<16 x f32, stride=4> [0])>, StorageBuffer>
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays:
memref.global "private" constant @weights : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
memref.global @state : memref<4xf32> = uninitialized
memref.global constant @hex : memref<4xf32> = dense<"0x0000803F000000400000404000008040"> {alignment = 64 : i64}
func.func @take() {
  %w = memref.get_global @weights : memref<2x2xf32>
  %B = memref.get_global @state : memref<4xf32>
  affine.for %i = 0 to 2 {
    %0 = affine.load %w[%i, 0] : memref<2x2xf32>
    affine.store %0, %B[%i] : memref<4xf32>
  }
  return
}
// -----
// raised: 1, stays: parallel
func.func @parallel(%A: memref<8xf32>) {
  omp.parallel {
    %z = arith.constant 0.0 : f32
    affine.for %i = 0 to 8 {
      affine.store %z, %A[%i] : memref<8xf32>
    }
    omp.terminator
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
// -----
// raised: 1, stays: wait
async.func @produce() -> !async.value<f32> {
  %c = arith.constant 1.0 : f32
  return %c : f32
}
func.func @wait() -> f32 {
  %0 = async.call @produce() : () -> !async.value<f32>
  %1 = async.await %0 : !async.value<f32>
  return %1 : f32
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays:
emitc.include <"math.h">
emitc.func @f(%arg0: i32) -> i32 {
  %0 = emitc.call_opaque "blah"(%arg0) {args = [0 : index, #emitc.opaque<"x // y {">]} : (i32) -> i32
  return %0 : i32
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays:
module attributes {transform.with_named_sequence} {
pdl.pattern @rewrite : benefit(1) {
  %0 = type
  %1 = operation "foo.op" -> (%0 : !pdl.type)
  rewrite %1 with "rewriter"
}
transform.named_sequence @__transform_main(%arg0: !transform.any_op) attributes {visibility = "public"} {
  transform.yield
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
// raised: 1, stays: tosa, sparse, shaped
func.func @tosa(%a: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.abs %a : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @sparse(%a: tensor<4x4xf32, #CSR>) -> index {
  %0 = sparse_tensor.number_of_entries %a : tensor<4x4xf32, #CSR>
  return %0 : index
}
func.func @shaped(%a: tensor<?xf32>) -> !shape.shape {
  %0 = shape.shape_of %a : tensor<?xf32> -> !shape.shape
  return %0 : !shape.shape
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays: own
func.func @own(%A: memref<8xf64>) {
  %0 = "vendor.start"(%A) <{depth = 2 : i32}> ({
  ^bb0(%i: index):
    "vendor.yield"(%i) : (index) -> ()
  }) {note = "a } b"} : (memref<8xf64>) -> !vendor.token<"x", {1 -> 2}>
  "vendor.wait"(%0)[^bb1] : (!vendor.token<"x", {1 -> 2}>) -> ()
^bb1:
  return
}
"vendor.global"() {sym_name = "g", table = #vendor.table<[1, 2], "<>">} : () -> ()
func.func @fill(%A: memref<8xf64>) attributes {vendor.kind = #vendor.kind<hot>} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] {vendor.stream} : memref<8xf64>
  } {vendor.unroll = 4 : i32}
  return
}
// -----
// raised: 1, stays:
#map = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (ptr)>, linkage = #llvm.linkage<external>, sym_name = "free", visibility_ = 0 : i64}> ({
  }) : () -> ()
  "func.func"() <{function_type = (memref<8xf32>) -> (), sym_name = "fill"}> ({
  ^bb0(%arg0: memref<8xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (8)>}> ({
    ^bb0(%arg1: index):
      "affine.store"(%0, %arg0, %arg1) <{map = #map}> : (f32, memref<8xf32>, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) {llvm.ident = "x {"} : () -> ()
// -----
// raised: 2, stays: dealloc
func.func @reduce(%A: memref<4x8xf32>, %y: memref<4xf32>) {
  %z = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (4) {
    affine.store %z, %y[%i] : memref<4xf32>
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<4x8xf32>
      %b = affine.load %y[%i] : memref<4xf32>
      %c = arith.addf %a, %b fastmath<reassoc,contract> : f32
      affine.store %c, %y[%i] : memref<4xf32>
    }
  }
  return
}
func.func @dealloc(%A: memref<?xf32>) {
  memref.dealloc %A : memref<?xf32>
  scf.execute_region no_inline {
    scf.yield
  }
  return
}
// -----
// raised: 1, stays:
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func @unranked(%A: memref<4xf32>) {
  %0 = memref.cast %A : memref<4xf32> to memref<*xf32>
  call @printMemrefF32(%0) : (memref<*xf32>) -> ()
  return
}
func.func @fill(%A: memref<4xf32> {llvm.noalias, llvm.nonnull}) -> (f32 {vendor.result}) attributes {llvm.emit_c_interface, no_inline} {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %z, %A[%i] : memref<4xf32>
  }
  return %z : f32
}
// -----
// raised: 3, stays:
func.func @parallel(%x: memref<?xf64>, %A: memref<?x?xf64>, %n: index) -> f64 {
  %z = arith.constant 0.0 : f64
  %r = affine.parallel (%i) = (0) to (%n) reduce ("addf") -> (f64) {
    %a = affine.load %x[%i] : memref<?xf64>
    affine.yield %a : f64
  }
  affine.parallel (%i, %j) = (0, max(%n - 4, 3)) to (min(%n, 8), symbol(%n) * 2) step (1, 2) {
    %a = affine.load %x[%j + symbol(%n)] : memref<?xf64>
    affine.store %a, %A[%i, %j] : memref<?x?xf64>
  } {vendor.mark}
  return %r : f64
}
func.func @bits(%x: memref<?xf64>, %m: memref<?xi1>, %n: index) -> i1 {
  %false = arith.constant false
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %c = math.isnan %a : f64
    affine.store %c, %m[%i] : memref<?xi1>
  }
  %r = affine.for %i = 0 to %n iter_args(%s = %false) -> (i1) {
    %a = affine.load %m[%i] : memref<?xi1>
    %t = arith.ori %s, %a : i1
    affine.yield %t : i1
  }
  return %r : i1
}
