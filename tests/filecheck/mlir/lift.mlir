// RUN: tensorlift-lift %s | filecheck %s
// RUN: tensorlift-lift %s --emit ir | filecheck %s --check-prefix=IR
// RUN: tensorlift-lift %s --emit ir > %t.mlir && tensorlift-lift %t.mlir | filecheck %s

// From scf and 32-bit sizes to a matrix product, also by way of the loop IR.
// CHECK: def product(n, A, B, C):
// CHECK: C[:n, :n] = A[:n, :n] @ B[:n, :n]
// CHECK: # product: loop-free, proved for every size

// IR: func.func @product(%n: index {tl.name = "n", tl.c_type = "int"}, %A: memref<?x?xf64>
// IR: affine.for %i = 0 to %n {
// IR: affine.load %A[%i, %k] : memref<?x?xf64>
func.func @product(%n: i32, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %sum = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f64) {
        %a = memref.load %A[%i, %k] : memref<?x?xf64>
        %b = memref.load %B[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %acc, %p : f64
        scf.yield %s : f64
      }
      memref.store %sum, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
