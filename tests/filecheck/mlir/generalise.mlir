// RUN: tensorlift-lift %s --no-generalise 2>&1 | filecheck %s
// RUN: tensorlift-lift %s 2>&1 | filecheck %s --check-prefix=SIZE

// CHECK-NOT: TL199
// CHECK: # double: loop-free, proved
// SIZE-DAG: note: the constant 100, an extent of x, is generalised to the size n [TL199]
func.func @double(%x: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    %v = affine.load %x[%i] : memref<100xf64>
    %s = arith.addf %v, %v : f64
    affine.store %s, %x[%i] : memref<100xf64>
  }
  return
}
