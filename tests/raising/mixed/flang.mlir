// Modules of flang, and loops that were lowered from it.
// raised: 1, stays:
module attributes {dlti.dl_spec = #dlti.dl_spec<f80 = dense<128> : vector<2xi64>>, fir.defaultkind = "a1c4d8i4l4r4", fir.kindmap = "", fir.target_cpu = "x86-64", llvm.ident = "flang version 22.0.0"} {
  fir.global common @blk_(dense<0> : vector<8xi8>) {alignment = 4 : i64} : !fir.array<8xi8>
  func.func private @_FortranAioBeginExternalListOutput(i32, !fir.ref<i8>, i32) -> !fir.ref<i8> attributes {fir.io, fir.runtime}
  fir.global linkonce @_QQclX61 constant : !fir.char<1,2> {
    %0 = fir.string_lit "{\0A"(2) : !fir.char<1,2>
    fir.has_value %0 : !fir.char<1,2>
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
// raised: 1, stays: _QPsaxpy
func.func @_QPsaxpy(%arg0: !fir.ref<i32> {fir.bindc_name = "n"}, %arg1: !fir.box<!fir.array<?xf32>> {fir.bindc_name = "x"}) {
  %0 = fir.dummy_scope : !fir.dscope
  %1:2 = hlfir.declare %arg0 dummy_scope %0 {uniq_name = "_QFsaxpyEn"} : (!fir.ref<i32>, !fir.dscope) -> (!fir.ref<i32>, !fir.ref<i32>)
  %2 = fir.load %1#0 : !fir.ref<i32>
  %3 = fir.convert %2 : (i32) -> index
  %c1 = arith.constant 1 : index
  %4 = fir.do_loop %arg2 = %c1 to %3 step %c1 iter_args(%arg3 = %2) -> (i32) {
    %5 = hlfir.designate %arg1 (%arg2)  : (!fir.box<!fir.array<?xf32>>, index) -> !fir.ref<f32>
    fir.result %arg3 : i32
  }
  return
}
func.func @copy(%A: memref<8xf32>, %B: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %0 = affine.load %A[%i] : memref<8xf32>
    affine.store %0, %B[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays: _QQmain
module {
  omp.declare_reduction @add_reduction_f32 : f32 init {
  ^bb0(%arg0: f32):
    %cst = arith.constant 0.000000e+00 : f32
    omp.yield(%cst : f32)
  } combiner {
  ^bb0(%arg0: f32, %arg1: f32):
    %0 = arith.addf %arg0, %arg1 : f32
    omp.yield(%0 : f32)
  }
  func.func @_QQmain() attributes {fir.bindc_name = "t", target_features = #llvm.target_features<["+sse2"]>} {
    omp.parallel {
      %c1 = arith.constant 1 : i32
      omp.wsloop {
        omp.loop_nest (%arg0) : i32 = (%c1) to (%c1) inclusive step (%c1) {
          omp.yield
        }
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
}
// -----
// raised: 1, stays: _QPf
!box = !fir.box<!fir.ptr<!fir.array<?x?xf64>>>
func.func @_QPf(%arg0: !fir.ref<!box>) -> f64 {
  %0 = fir.load %arg0 : !fir.ref<!box>
  %c0 = arith.constant 0 : index
  %1:3 = fir.box_dims %0, %c0 : (!box, index) -> (index, index, index)
  fir.select_case %1#0 : index [#fir.point, %c0, ^bb1, unit, ^bb2]
^bb1:  // pred: ^bb0 { here
  cf.br ^bb2
^bb2:  // 2 preds: ^bb0, ^bb1
  %2 = fir.undefined f64
  return %2 : f64
}
func.func @fill(%A: memref<8xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf64>
  }
  return
}
// -----
// raised: 1, stays:
fir.dispatch_table @_QFTdtt {visibility = "private"} {
  fir.dt_entry "proc1", @_QFPproc1
}
fir.type_info @_QFTt noinit nodestroy nofinal : !fir.type<_QFTt{i:i32,x:!fir.array<3xf32>}>
acc.private.recipe @privatization_ref_i32 : !fir.ref<i32> init {
^bb0(%arg0: !fir.ref<i32>):
  acc.yield %arg0 : !fir.ref<i32>
}
func.func @fill(%A: memref<8xf64>) attributes {llvm.linkage = #llvm.linkage<internal>, fir.internal_proc} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf64>
  }
  return
}
// -----
// raised: 1, stays: _QMmPsub
#root = #llvm.tbaa_root<id = "Flang function root _QMmPsub">
#type = #llvm.tbaa_type_desc<id = "any access", members = {<#root, 0>}>
#tag = #llvm.tbaa_tag<base_type = #type, access_type = #type, offset = 0>
module {
  llvm.mlir.global external @_QMmEx() {alignment = 8 : i64} : !llvm.array<3 x f64> {
    %0 = llvm.mlir.zero : !llvm.array<3 x f64>
    llvm.return %0 : !llvm.array<3 x f64>
  }
  func.func @_QMmPsub(%arg0: !llvm.ptr {fir.bindc_name = "a"}) {
    %0 = llvm.load %arg0 {tbaa = [#tag]} : !llvm.ptr -> i32
    return
  }
  func.func @fill(%A: memref<8xf64>) {
    %z = arith.constant 0.0 : f64
    affine.for %i = 0 to 8 {
      affine.store %z, %A[%i] : memref<8xf64>
    }
    return
  }
}
