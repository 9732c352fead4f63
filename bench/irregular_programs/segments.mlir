// Bounds that depend on data: sparse matrices, ragged rows, batches padded to one length.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c refused TL402
func.func @spmv(%start: memref<?xi32>, %col: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %y, %c0 : memref<?xf64>
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %a = memref.load %start[%i] : memref<?xi32>
    %b = memref.load %start[%next] : memref<?xi32>
    %lo = arith.index_cast %a : i32 to index
    %hi = arith.index_cast %b : i32 to index
    %sum = scf.for %k = %lo to %hi step %c1 iter_args(%s = %zero) -> (f64) {
      %c = memref.load %col[%k] : memref<?xi32>
      %j = arith.index_cast %c : i32 to index
      %v = memref.load %val[%k] : memref<?xf64>
      %w = memref.load %x[%j] : memref<?xf64>
      %m = arith.mulf %v, %w : f64
      %t = arith.addf %s, %m : f64
      scf.yield %t : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
func.func @row_sums(%offset: memref<?xindex>, %values: memref<?xf32>, %sums: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %sums, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %lo = memref.load %offset[%i] : memref<?xindex>
    %hi = memref.load %offset[%next] : memref<?xindex>
    scf.for %k = %lo to %hi step %c1 {
      %v = memref.load %values[%k] : memref<?xf32>
      %s = memref.load %sums[%i] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      memref.store %t, %sums[%i] : memref<?xf32>
    }
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
func.func @padded(%batch: memref<?x?xf64>, %length: memref<?xi32>, %total: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %batch, %c0 : memref<?x?xf64>
  scf.for %b = %c0 to %n step %c1 {
    %l = memref.load %length[%b] : memref<?xi32>
    %end = arith.index_cast %l : i32 to index
    %s = scf.for %t = %c0 to %end step %c1 iter_args(%a = %zero) -> (f64) {
      %v = memref.load %batch[%b, %t] : memref<?x?xf64>
      %w = arith.addf %a, %v : f64
      scf.yield %w : f64
    }
    memref.store %s, %total[%b] : memref<?xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
func.func @row_squares(%start: memref<?xi32>, %values: memref<?xf64>, %squares: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %squares, %c0 : memref<?xf64>
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %a = memref.load %start[%i] : memref<?xi32>
    %b = memref.load %start[%next] : memref<?xi32>
    %lo = arith.index_cast %a : i32 to index
    %hi = arith.index_cast %b : i32 to index
    %sum = scf.for %k = %lo to %hi step %c1 iter_args(%s = %zero) -> (f64) {
      %v = memref.load %values[%k] : memref<?xf64>
      %m = arith.mulf %v, %v : f64
      %t = arith.addf %s, %m : f64
      scf.yield %t : f64
    }
    memref.store %sum, %squares[%i] : memref<?xf64>
  }
  return
}
