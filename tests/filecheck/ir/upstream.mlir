// REQUIRES: mlir-opt
// RUN: tensorlift-ir %s | %mlir-opt | filecheck %s
// RUN: %mlir-opt --mlir-print-op-generic %s | tensorlift-ir - | %mlir-opt | filecheck %s

// What is printed is what upstream reads, from the custom and from the generic form.
// CHECK-LABEL: func.func @window
func.func @window(%n: index, %A: memref<?xf64>) {
  // CHECK: affine.for %[[I:.*]] = max #{{.*}}()[%{{.*}}] to min #{{.*}}()[%{{.*}}] step 2 {
  affine.for %i = max affine_map<()[n] -> (1, n - 8)>()[%n] to min affine_map<()[n] -> (n, 9)>()[%n] step 2 {
    // CHECK-NEXT: affine.load %{{.*}}[-%[[I]] + symbol(%{{.*}})] : memref<?xf64>
    %v = affine.load %A[symbol(%n) - %i] : memref<?xf64>
    // CHECK-NEXT: affine.if #{{.*}}(%[[I]]) {
    affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
      affine.store %v, %A[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @region
func.func @region(%p: i1) {
  // CHECK: scf.execute_region {
  scf.execute_region {
    // CHECK-NEXT: cf.cond_br %{{.*}}, ^bb1, ^bb2
    cf.cond_br %p, ^bb1, ^bb2
  ^bb1:
    cf.br ^bb2
  ^bb2:
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func @forall
func.func @forall(%n: index, %A: memref<?x?xf64>) {
  %c2 = arith.constant 2 : index
  // CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, %{{.*}}) to (8, %{{.*}}) step (1, 2) {
  scf.forall (%i, %j) = (0, %c2) to (8, %n) step (1, 2) {
    // CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[J]]]
    %v = memref.load %A[%i, %j] : memref<?x?xf64>
    memref.store %v, %A[%j, %i] : memref<?x?xf64>
    // CHECK: } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  return
}

// CHECK-LABEL: func.func @together
func.func @together(%n: index, %A: tensor<?xf64>, %B: tensor<?xf64>) -> tensor<?xf64> {
  // CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[O:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<?xf64>, tensor<?xf64>) {
  %r:2 = scf.forall (%i) in (%n) shared_outs(%o = %A, %p = %B) -> (tensor<?xf64>, tensor<?xf64>) {
    %v = tensor.extract_slice %p[%i] [1] [1] : tensor<?xf64> to tensor<1xf64>
    // CHECK: scf.forall.in_parallel {
    // CHECK-NEXT: tensor.parallel_insert_slice %{{.*}} into %[[O]][%[[I]]] [1] [1] : tensor<1xf64> into tensor<?xf64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf64> into tensor<?xf64>
    }
  }
  return %r#0 : tensor<?xf64>
}
