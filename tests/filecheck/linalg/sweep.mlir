// RUN: tensorlift-lift %s --to linalg | filecheck %s

// Loops that stay hand the array on.
// CHECK: %x_1 = scf.for %t = %c0 to %steps step %c1 iter_args(%x_0 = %x) -> (tensor<?xf32>) {
// CHECK-NEXT: %x_3 = scf.for %i = %c1 to %n step %c1 iter_args(%x_2 = %x_0) -> (tensor<?xf32>) {
// CHECK: %x_4 = tensor.insert %{{.*}} into %x_2[%i] : tensor<?xf32>
// CHECK-NEXT: scf.yield %x_4 : tensor<?xf32>
// CHECK: scf.yield %x_3 : tensor<?xf32>
// CHECK: return %x_1 : tensor<?xf32>
// CHECK: // sweep: hybrid, proved for every size
func.func @sweep(%steps: index, %n: index, %x: memref<?xf32>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      %a = affine.load %x[%i - 1] : memref<?xf32>
      %b = affine.load %x[%i] : memref<?xf32>
      %c = arith.subf %b, %a : f32
      affine.store %c, %x[%i] : memref<?xf32>
    }
  }
  return
}
