// w: 4, 4; b: 4
func.func @layer(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %s = arith.addf %in, %bias : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @softmax(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %low = arith.constant 0xFFF0000000000000 : f64
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %m = tensor.dim %x, %c1 : tensor<?x?xf64>
  %e1 = tensor.empty(%n) : tensor<?xf64>
  %f1 = linalg.fill ins(%low : f64) outs(%e1 : tensor<?xf64>) -> tensor<?xf64>
  %mx = linalg.reduce { arith.maximumf } ins(%x : tensor<?x?xf64>) outs(%f1 : tensor<?xf64>) dimensions = [1]
  %e2 = tensor.empty(%n, %m) : tensor<?x?xf64>
  %ex = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %mx : tensor<?x?xf64>, tensor<?xf64>) outs(%e2 : tensor<?x?xf64>) {
  ^bb0(%in: f64, %a: f64, %out: f64):
    %s = arith.subf %in, %a : f64
    %t = math.exp %s : f64
    linalg.yield %t : f64
  } -> tensor<?x?xf64>
  %f2 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<?xf64>) -> tensor<?xf64>
  %sum = linalg.reduce { arith.addf } ins(%ex : tensor<?x?xf64>) outs(%f2 : tensor<?xf64>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%ex, %sum : tensor<?x?xf64>, tensor<?xf64>) outs(%e2 : tensor<?x?xf64>) {
  ^bb0(%in: f64, %a: f64, %out: f64):
    %s = arith.divf %in, %a : f64
    linalg.yield %s : f64
  } -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}
func.func @elementwise(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %s = arith.mulf %x, %y : tensor<?xf64>
  %t = math.exp %s : tensor<?xf64>
  %u = arith.addf %t, %x : tensor<?xf64>
  return %u : tensor<?xf64>
}
func.func @loop(%x: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<?xf64>) {
    %v = tensor.extract %t[%i] : tensor<?xf64>
    %w = arith.mulf %v, %v : f64
    %u = tensor.insert %w into %t[%i] : tensor<?xf64>
    scf.yield %u : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
func.func @swap(%x: tensor<8xf64>, %y: tensor<8xf64>, %n: index) -> (tensor<8xf64>, tensor<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf64>, tensor<8xf64>) {
    scf.yield %b, %a : tensor<8xf64>, tensor<8xf64>
  }
  return %r#0, %r#1 : tensor<8xf64>, tensor<8xf64>
}
func.func @slices(%x: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  %a = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf64> to tensor<?xf64>
  %b = tensor.extract_slice %x[1] [%m] [1] : tensor<?xf64> to tensor<?xf64>
  %d = arith.subf %b, %a : tensor<?xf64>
  %r = tensor.insert_slice %d into %x[0] [%m] [1] : tensor<?xf64> into tensor<?xf64>
  return %r : tensor<?xf64>
}
func.func @pad(%x: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant 1.5 : f64
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f64
  } : tensor<?xf64> to tensor<?xf64>
  return %p : tensor<?xf64>
}
func.func @const(%x: tensor<4xf64>) -> tensor<4xf64> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %d = arith.constant dense<0.5> : tensor<4xf64>
  %a = arith.mulf %x, %c : tensor<4xf64>
  %b = arith.addf %a, %d : tensor<4xf64>
  return %b : tensor<4xf64>
}
func.func @gather(%x: tensor<?xf64>, %k: tensor<?xindex>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %k, %c0 : tensor<?xindex>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%k : tensor<?xindex>) outs(%e : tensor<?xf64>) {
  ^bb0(%in: index, %out: f64):
    %v = tensor.extract %x[%in] : tensor<?xf64>
    linalg.yield %v : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}
func.func @branch(%x: tensor<?xf64>, %c: i1) -> tensor<?xf64> {
  %r = scf.if %c -> (tensor<?xf64>) {
    %d = arith.addf %x, %x : tensor<?xf64>
    scf.yield %d : tensor<?xf64>
  } else {
    scf.yield %x : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
func.func @transposed(%x: tensor<3x5xf64>) -> tensor<5x3xf64> {
  %e = tensor.empty() : tensor<5x3xf64>
  %t = linalg.transpose ins(%x : tensor<3x5xf64>) outs(%e : tensor<5x3xf64>) permutation = [1, 0]
  return %t : tensor<5x3xf64>
}
// x: 1, 5, 7, 3; o: 1, 2, 3, 8
func.func @conv(%x: tensor<1x?x?x3xf32>, %w: tensor<3x3x3x8xf32>, %o: tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x?x?x3xf32>, tensor<3x3x3x8xf32>) outs(%o : tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
  return %r : tensor<1x?x?x8xf32>
}

// n: 5
func.func @counted(%x: tensor<?xf64>, %n: index) -> (tensor<?xf64>, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x, %s = %zero) -> (tensor<?xf64>, f64) {
    %v = tensor.extract %t[%i] : tensor<?xf64>
    %w = arith.addf %v, %s : f64
    %u = tensor.insert %w into %t[%i] : tensor<?xf64>
    scf.yield %u, %w : tensor<?xf64>, f64
  }
  return %r#0, %r#1 : tensor<?xf64>, f64
}
func.func @kept(%x: tensor<4xf64>, %y: f64) -> (tensor<4xf64>, tensor<4xf64>) {
  %c1 = arith.constant 1 : index
  %a = arith.addf %x, %x : tensor<4xf64>
  %b = tensor.insert %y into %a[%c1] : tensor<4xf64>
  %c = arith.mulf %b, %a : tensor<4xf64>
  return %a, %c : tensor<4xf64>, tensor<4xf64>
}
func.func @twice(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %a = arith.addf %x, %x : tensor<4xf64>
  return %a, %a : tensor<4xf64>, tensor<4xf64>
}
func.func @same(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}
func.func @accumulated(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %a = arith.addf %x, %x : tensor<4x4xf64>
  %r = linalg.matmul ins(%a, %a : tensor<4x4xf64>, tensor<4x4xf64>) outs(%a : tensor<4x4xf64>) -> tensor<4x4xf64>
  return %r : tensor<4x4xf64>
}
func.func @older(%x: tensor<4xf64>, %n: index) -> tensor<4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<4xf64>) {
    %j = arith.addi %i, %c1 : index
    %v = tensor.extract %t[%i] : tensor<4xf64>
    %u = tensor.insert %v into %t[%j] : tensor<4xf64>
    %w = tensor.extract %t[%j] : tensor<4xf64>
    %s = tensor.insert %w into %u[%i] : tensor<4xf64>
    scf.yield %s : tensor<4xf64>
  }
  return %r : tensor<4xf64>
}
func.func @nested(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> (tensor<4x4xf64>) {
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%u = %t) -> (tensor<4x4xf64>) {
      %v = tensor.extract %u[%j, %i] : tensor<4x4xf64>
      %w = tensor.insert %v into %u[%i, %j] : tensor<4x4xf64>
      scf.yield %w : tensor<4x4xf64>
    }
    scf.yield %q : tensor<4x4xf64>
  }
  return %r : tensor<4x4xf64>
}
func.func @sliced(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %a = arith.mulf %x, %x : tensor<4x4xf64>
  %row = tensor.extract_slice %a[1, 0] [1, 4] [1, 1] : tensor<4x4xf64> to tensor<1x4xf64>
  %b = tensor.insert_slice %row into %a[2, 0] [1, 4] [1, 1] : tensor<1x4xf64> into tensor<4x4xf64>
  %c = tensor.insert_slice %row into %b[0, 0] [1, 4] [1, 1] : tensor<1x4xf64> into tensor<4x4xf64>
  return %c : tensor<4x4xf64>
}
func.func @mapped(%x: tensor<4xf64>, %y: tensor<4xf64>, %o: tensor<4xf64>) -> tensor<4xf64> {
  %r = linalg.map { arith.addf } ins(%x, %y : tensor<4xf64>, tensor<4xf64>) outs(%o : tensor<4xf64>)
  return %r : tensor<4xf64>
}
func.func @splat(%x: f64, %n: index) -> tensor<?x3xf64> {
  %s = tensor.splat %x[%n] : tensor<?x3xf64>
  return %s : tensor<?x3xf64>
}
func.func @elements(%x: f64, %y: f64) -> tensor<2xf64> {
  %s = tensor.from_elements %x, %y : tensor<2xf64>
  return %s : tensor<2xf64>
}
func.func @swapped_as_seen(%x: tensor<8xf64>, %y: tensor<8xf64>, %n: index) -> (tensor<8xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %open = tensor.cast %y : tensor<8xf64> to tensor<?xf64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %open) -> (tensor<8xf64>, tensor<?xf64>) {
    %c = tensor.cast %b : tensor<?xf64> to tensor<8xf64>
    %d = tensor.cast %a : tensor<8xf64> to tensor<?xf64>
    scf.yield %c, %d : tensor<8xf64>, tensor<?xf64>
  }
  return %r#0, %r#1 : tensor<8xf64>, tensor<?xf64>
}
func.func @made_to_measure(%x: tensor<?xf64>, %k: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<?xf64>) {
    %d = linalg.add ins(%t, %x : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %d : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
func.func @converted(%x: tensor<?x4xi32>, %y: tensor<?xf64>) -> (tensor<?x4xf32>, tensor<?xi64>) {
  %r = arith.sitofp %x : tensor<?x4xi32> to tensor<?x4xf32>
  %s = arith.fptosi %y : tensor<?xf64> to tensor<?xi64>
  return %r, %s : tensor<?x4xf32>, tensor<?xi64>
}
func.func @chosen(%x: tensor<?xf64>, %y: tensor<?xf64>, %b: i1) -> (tensor<?xf64>, tensor<?xf64>) {
  %c = arith.cmpf ogt, %x, %y : tensor<?xf64>
  %r = arith.select %c, %x, %y : tensor<?xi1>, tensor<?xf64>
  %s = arith.select %b, %x, %y : tensor<?xf64>
  return %r, %s : tensor<?xf64>, tensor<?xf64>
}
func.func @counted(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %c = "arith.cmpi"(%x, %y) <{predicate = 2 : i64}> : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
  %r = arith.extui %c : tensor<?xi1> to tensor<?xi32>
  return %r : tensor<?xi32>
}
func.func @split(%x: tensor<20xf64>) -> tensor<4x5xf64> {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [4, 5] : tensor<20xf64> into tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}
func.func @joined(%x: tensor<4x5xf64>) -> tensor<20xf64> {
  %e = math.absf %x : tensor<4x5xf64>
  %r = tensor.collapse_shape %e [[0, 1]] : tensor<4x5xf64> into tensor<20xf64>
  return %r : tensor<20xf64>
}
func.func @without_an_axis(%x: tensor<1x?xf64>) -> tensor<?x1xf64> {
  %c0 = arith.constant 0 : index
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<1x?xf64> into tensor<?xf64>
  %n = tensor.dim %r, %c0 : tensor<?xf64>
  %s = tensor.expand_shape %r [[0, 1]] output_shape [%n, 1] : tensor<?xf64> into tensor<?x1xf64>
  return %s : tensor<?x1xf64>
}
func.func @without_axes(%x: tensor<1x1xf64>) -> tensor<f64> {
  %r = tensor.collapse_shape %x [] : tensor<1x1xf64> into tensor<f64>
  return %r : tensor<f64>
}
func.func @tiles(%A: tensor<8x6xf32>, %B: tensor<6x4xf32>, %C: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = %C) -> (tensor<8x4xf32>) {
    %a = tensor.extract_slice %A[%i, 0] [4, 6] [1, 1] : tensor<8x6xf32> to tensor<4x6xf32>
    %c = tensor.extract_slice %o[%i, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
    %p = linalg.matmul ins(%a, %B : tensor<4x6xf32>, tensor<6x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
    }
  }
  return %r : tensor<8x4xf32>
}
func.func @together(%x: tensor<?xf64>, %k: index) -> (tensor<?xf64>, tensor<?xf64>) {
  %r:2 = scf.forall (%i) in (%k) shared_outs(%o = %x, %p = %x) -> (tensor<?xf64>, tensor<?xf64>) {
    %v = tensor.extract %x[%i] : tensor<?xf64>
    %s = arith.mulf %v, %v : f64
    %a = tensor.from_elements %s : tensor<1xf64>
    %e = math.exp %v : f64
    %b = tensor.from_elements %e : tensor<1xf64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i] [1] [1] : tensor<1xf64> into tensor<?xf64>
      tensor.parallel_insert_slice %b into %p[%i] [1] [1] : tensor<1xf64> into tensor<?xf64>
    }
  }
  return %r#0, %r#1 : tensor<?xf64>, tensor<?xf64>
}
