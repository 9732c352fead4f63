// Modules as Polygeist and ClangIR print them for C, of several versions.
// raised: 1, stays:
#tbaa_root = #llvm.tbaa_root<id = "Simple C/C++ TBAA">
#tbaa_type = #llvm.tbaa_type_desc<id = "omnipotent char", members = {<#tbaa_root, 0>}>
#tbaa_tag = #llvm.tbaa_tag<base_type = #tbaa_type, access_type = #tbaa_type, offset = 0>
module attributes {dlti.dl_spec = #dlti.dl_spec<i64 = dense<64> : vector<2xi64>, !llvm.ptr<270> = dense<32> : vector<4xi64>, "dlti.endianness" = "little">, llvm.data_layout = "e-m:e-p270:32:32-i64:64", llvm.target_triple = "x86_64-unknown-linux-gnu", "polygeist.target-cpu" = "x86-64"} {
  func.func @fill(%arg0: memref<?xf64>, %arg1: i32) attributes {llvm.linkage = #llvm.linkage<external>} {
    %cst = arith.constant 0.000000e+00 : f64
    %0 = arith.index_cast %arg1 : i32 to index
    affine.for %arg2 = 0 to %0 {
      affine.store %cst, %arg0[%arg2] {tbaa = [#tbaa_tag]} : memref<?xf64>
    }
    return
  }
}
// -----
// raised: 1, stays: main
module {
  llvm.mlir.global internal constant @str0("sum: %f {\n\00") {addr_space = 0 : i32}
  llvm.func @printf(!llvm.ptr, ...) -> i32
  func.func @main() -> i32 attributes {llvm.linkage = #llvm.linkage<external>} {
    %c0_i32 = arith.constant 0 : i32
    %0 = llvm.mlir.addressof @str0 : !llvm.ptr
    %1 = llvm.getelementptr %0[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<11 x i8>
    %2 = llvm.call @printf(%1) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr) -> i32
    return %c0_i32 : i32
  }
  func.func @copy(%arg0: memref<16xi32>, %arg1: memref<16xi32>) attributes {llvm.linkage = #llvm.linkage<external>} {
    affine.for %arg2 = 0 to 16 {
      %0 = affine.load %arg0[%arg2] : memref<16xi32>
      affine.store %0, %arg1[%arg2] : memref<16xi32>
    }
    return
  }
}
// -----
// raised: 1, stays: pointer
module {
  func.func @pointer(%arg0: memref<?xi8>) -> !llvm.ptr attributes {llvm.linkage = #llvm.linkage<internal>} {
    %0 = "polygeist.memref2pointer"(%arg0) : (memref<?xi8>) -> !llvm.ptr
    return %0 : !llvm.ptr
  }
  func.func private @fill(%arg0: memref<8xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %cst = arith.constant 1.000000e+00 : f32
    affine.for %arg1 = 0 to 8 {
      affine.store %cst, %arg0[%arg1] : memref<8xf32>
    } {polymer.stmt.name = "S0"}
    return
  }
}
// -----
// raised: 1, stays: loop
!s32i = !cir.int<s, 32>
!rec_point = !cir.record<struct "point" {!s32i, !s32i}>
#loc3 = loc("a.c":1:5)
module @"a.c" attributes {cir.lang = #cir.lang<c>, cir.triple = "x86_64-unknown-linux-gnu"} {
  func.func @loop(%arg0: !rec_point) {
    return
  }
  func.func @fill(%arg0: memref<8xf32> loc("a.c":4:11)) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc4)
    affine.for %arg1 = 0 to 8 {
      affine.store %cst, %arg0[%arg1] : memref<8xf32> loc(#loc5)
    } loc(#loc3)
    return loc(#loc)
  } loc(#loc3)
} loc(#loc)
#loc = loc(unknown)
#loc4 = loc("a.c":3:7)
#loc5 = loc(fused[#loc3, "x"(#loc4), callsite(#loc3 at #loc4)])
// -----
// raised: 1, stays: host
module attributes {gpu.container_module} {
  func.func @host(%arg0: memref<?xf32>, %arg1: index) {
    %c1 = arith.constant 1 : index
    "polygeist.gpu_wrapper"(%arg1, %c1) ({
      scf.parallel (%arg2) = (%c1) to (%arg1) step (%c1) {
        scf.reduce
      }
      "polygeist.polygeist_yield"() : () -> ()
    }) : (index, index) -> index
    return
  }
  func.func @scale(%arg0: memref<4xf32>, %arg1: f32) {
    affine.for %arg2 = 0 to 4 {
      %0 = affine.load %arg0[%arg2] : memref<4xf32>
      %1 = arith.mulf %0, %arg1 fastmath<fast> : f32
      affine.store %1, %arg0[%arg2] : memref<4xf32>
    }
    return
  }
}
// -----
// raised: 1, stays: early
module {
  func.func @early(%arg0: memref<?xi32>) -> i32 {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %0 = llvm.mlir.undef : i32
    %1:2 = scf.while (%arg1 = %c0, %arg2 = %true) : (index, i1) -> (index, i32) {
      scf.condition(%arg2) %arg1, %0 : index, i32
    } do {
    ^bb0(%arg1: index, %arg2: i32):
      scf.yield %arg1, %true : index, i1
    }
    return %1#1 : i32
  }
  func.func @fill(%arg0: memref<4xi64>) {
    %c0_i64 = arith.constant 0 : i64
    affine.for %arg1 = 0 to 4 {
      affine.store %c0_i64, %arg0[%arg1] : memref<4xi64>
    }
    return
  }
}
// -----
// raised: 2, stays: indirect
module {
  memref.global "private" @table : memref<4xi32> = dense<[1, 2, 3, 4]> {alignment = 16 : i64}
  func.func @indirect(%arg0: !llvm.ptr) {
    llvm.call %arg0() : !llvm.ptr, () -> ()
    return
  }
  func.func @first(%arg0: memref<4xi32>) {
    %c7_i32 = arith.constant 7 : i32
    affine.for %arg1 = 0 to 4 {
      affine.store %c7_i32, %arg0[%arg1] {ordering = 0 : i64} : memref<4xi32>
    }
    return
  }
  func.func @second() {
    %0 = memref.get_global @table : memref<4xi32>
    call @first(%0) : (memref<4xi32>) -> ()
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.parallel (%arg0) = (%c0) to (%c4) step (%c1) {
      memref.store %c0_i32, %0[%arg0] : memref<4xi32>
      scf.reduce
    }
    return
  }
}
// -----
// raised: 1, stays:
module attributes {llvm.data_layout = ""} {
  func.func private @sqrtf(f32) -> f32 attributes {llvm.linkage = #llvm.linkage<external>}
  func.func @fill(%arg0: memref<?x8xf32>) attributes {llvm.linkage = #llvm.linkage<external>, passthrough = ["noinline", ["target-cpu", "x86-64"]]} {
    %cst = arith.constant 2.500000e-01 : f32
    %c0 = arith.constant 0 : index
    %0 = memref.dim %arg0, %c0 : memref<?x8xf32>
    affine.for %arg1 = 0 to %0 {
      affine.for %arg2 = 0 to 8 {
        affine.store %cst, %arg0[%arg1, %arg2] : memref<?x8xf32>
      } {llvm.loop_annotation = #llvm.loop_annotation<disableNonforced = true>}
    }
    return
  }
}
