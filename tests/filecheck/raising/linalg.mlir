// RUN: tensorlift-opt %s --raise-affine-to-linalg 2>/dev/null | filecheck %s
// RUN: tensorlift-opt %s --raise-affine-to-linalg --pass-statistics 2>&1 | filecheck %s --check-prefix=SAID

// CHECK-LABEL: @gemm_raised
// CHECK-NOT: affine.for
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%C : memref<8x5xf64>)
// CHECK: arith.mulf %{{.*}}, %beta : f64
// CHECK: linalg.matmul ins(%A, %B : memref<8x6xf64>, memref<6x5xf64>) outs(%C : memref<8x5xf64>)
func.func @gemm(%A: memref<8x6xf64>, %B: memref<6x5xf64>, %C: memref<8x5xf64>, %beta: f64) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 5 {
      %c = affine.load %C[%i, %j] : memref<8x5xf64>
      %s = arith.mulf %c, %beta : f64
      affine.store %s, %C[%i, %j] : memref<8x5xf64>
    }
    affine.for %k = 0 to 6 {
      affine.for %j = 0 to 5 {
        %a = affine.load %A[%i, %k] : memref<8x6xf64>
        %b = affine.load %B[%k, %j] : memref<6x5xf64>
        %c = affine.load %C[%i, %j] : memref<8x5xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<8x5xf64>
      }
    }
  }
  return
}

// What is not raised stays: a loop that carries, the call, and the extents of the memref.
// CHECK-LABEL: @kept_raised
// CHECK: %[[N:.*]] = memref.dim %x
// CHECK: func.call @print(%[[N]])
// CHECK: affine.for %i = 1 to %[[N]]
// CHECK: linalg.fill ins(%{{.*}} : f64) outs(%x : memref<?xf64>)
func.func private @print(index)
func.func @kept(%x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  func.call @print(%n) : (index) -> ()
  affine.for %i = 1 to %n {
    %a = affine.load %x[%i - 1] : memref<?xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %x[%i] : memref<?xf64>
  }
  %z = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.store %z, %x[%i] : memref<?xf64>
  }
  return
}

// A number that a loop carries is a dot product; the nest's value is read from its result.
// CHECK-LABEL: @dot
// CHECK: %[[CELL:.*]] = memref.alloc() : memref<f64>
// CHECK: linalg.dot ins(%x, %y : memref<16xf64>, memref<16xf64>) outs(%[[CELL]] : memref<f64>)
// CHECK: %[[SUM:.*]] = memref.load %[[CELL]][] : memref<f64>
// CHECK: return %[[SUM]] : f64
func.func @dot(%x: memref<16xf64>, %y: memref<16xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = affine.for %i = 0 to 16 iter_args(%acc = %zero) -> (f64) {
    %a = affine.load %x[%i] : memref<16xf64>
    %b = affine.load %y[%i] : memref<16xf64>
    %p = arith.mulf %a, %b : f64
    %t = arith.addf %acc, %p : f64
    affine.yield %t : f64
  }
  return %s : f64
}

// The loop over time stays; the nests inside work on the part that the iteration tells.
// CHECK-LABEL: @rows_raised
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = memref.subview %A
// CHECK: linalg.generic
// CHECK-SAME: outs(%[[ROW]]
func.func @rows(%A: memref<9x9xf64>, %x: memref<9xf64>) {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %t = %c1 to %c9 step %c1 {
    affine.for %j = 0 to 9 {
      %a = affine.load %A[%t - 1, %j] : memref<9x9xf64>
      %b = affine.load %x[%j] : memref<9xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %A[%t, %j] : memref<9x9xf64>
    }
    func.call @print(%t) : (index) -> ()
  }
  return
}

// SAID: raise-affine-to-linalg:
// SAID: 1 nests left as they are
// SAID: note: the nest stays as it is: its iterations depend on each other

// A flipped kernel is a part with steps back; where a subscript rises and falls, one of the loops runs back.
// CHECK-LABEL: func.func private @flipped_raised
// CHECK-NEXT: %[[H:.*]] = memref.subview %h[2, 1] [3, 2] [-1, -1] : memref<3x2xf64> to memref<3x2xf64, strided<[-2, -1], offset: 5>>
// CHECK-NEXT: linalg.conv_2d ins(%x, %[[H]] : {{.*}}) outs(%y : memref<6x8xf64>)
func.func @flipped(%x: memref<8x9xf64>, %h: memref<3x2xf64>, %y: memref<6x8xf64>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 8 {
      affine.for %p = 0 to 3 {
        affine.for %q = 0 to 2 {
          %0 = affine.load %x[%i - %p + 2, %j - %q + 1] : memref<8x9xf64>
          %1 = affine.load %h[%p, %q] : memref<3x2xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %y[%i, %j] : memref<6x8xf64>
          %4 = arith.addf %3, %2 : f64
          affine.store %4, %y[%i, %j] : memref<6x8xf64>
        }
      }
    }
  }
  return
}

// CHECK-LABEL: func.func private @turned_raised
// CHECK: linalg.transpose ins(%{{.*}} : memref<6x7xf32, strided<[7, -1], offset: 6>>) outs(%b : memref<7x6xf32>) permutation = [1, 0]
func.func @turned(%a: memref<6x7xf32>, %b: memref<7x6xf32>) {
  affine.for %i = 0 to 7 {
    affine.for %j = 0 to 6 {
      %0 = affine.load %a[%j, 6 - %i] : memref<6x7xf32>
      affine.store %0, %b[%i, %j] : memref<7x6xf32>
    }
  }
  return
}
