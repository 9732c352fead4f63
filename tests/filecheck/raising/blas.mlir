// REQUIRES: mlir-opt
// RUN: tensorlift-opt %s --raise-affine-to-linalg --raise-linalg-to-blas 2>/dev/null | %mlir-opt | filecheck %s

// A batch stays a loop; each product is a call on parts of the arrays.
// CHECK-LABEL: @batch_raised
// CHECK: affine.for
// CHECK: memref.subview
// CHECK: call @blas_dgemm_nt(
// CHECK: call @print
// CHECK: func.func private @cblas_dgemm(i32, i32, i32, i32, i32, i32, f64, !llvm.ptr, i32, !llvm.ptr, i32, f64, !llvm.ptr, i32)
// CHECK: func.func private @blas_dgemm_nt(
// CHECK: llvm.inttoptr
func.func private @print(index)
func.func @batch(%A: memref<7x4x5xf64>, %B: memref<7x3x5xf64>, %C: memref<7x4x3xf64>) {
  affine.for %b = 0 to 7 {
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 3 {
        affine.for %k = 0 to 5 {
          %x = affine.load %A[%b, %i, %k] : memref<7x4x5xf64>
          %y = affine.load %B[%b, %j, %k] : memref<7x3x5xf64>
          %z = affine.load %C[%b, %i, %j] : memref<7x4x3xf64>
          %p = arith.mulf %x, %y : f64
          %s = arith.addf %z, %p : f64
          affine.store %s, %C[%b, %i, %j] : memref<7x4x3xf64>
        }
      }
    }
    func.call @print(%b) : (index) -> ()
  }
  return
}
