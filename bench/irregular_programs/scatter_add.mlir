// Scatter with an operation: data chooses the cell that is updated.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
func.func @weighted(%bin: memref<?xi32>, %w: memref<?xf64>, %h: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %bin, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %b = affine.load %bin[%i] : memref<?xi32>
    %p = arith.index_cast %b : i32 to index
    %v = affine.load %w[%i] : memref<?xf64>
    %old = memref.load %h[%p] : memref<?xf64>
    %new = arith.addf %old, %v : f64
    memref.store %new, %h[%p] : memref<?xf64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
func.func @coo(%row: memref<?xindex>, %col: memref<?xindex>, %val: memref<?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %val, %c0 : memref<?xf32>
  scf.for %k = %c0 to %n step %c1 {
    %r = memref.load %row[%k] : memref<?xindex>
    %c = memref.load %col[%k] : memref<?xindex>
    %a = memref.load %val[%k] : memref<?xf32>
    %b = memref.load %x[%c] : memref<?xf32>
    %m = arith.mulf %a, %b : f32
    %old = memref.load %y[%r] : memref<?xf32>
    %new = arith.addf %old, %m : f32
    memref.store %new, %y[%r] : memref<?xf32>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c refused TL402
func.func @confusion(%truth: memref<?xi32>, %guess: memref<?xi32>, %table: memref<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %n = memref.dim %truth, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %t = affine.load %truth[%i] : memref<?xi32>
    %g = affine.load %guess[%i] : memref<?xi32>
    %r = arith.index_cast %t : i32 to index
    %c = arith.index_cast %g : i32 to index
    %old = memref.load %table[%r, %c] : memref<?x?xi64>
    %new = arith.addi %old, %one : i64
    memref.store %new, %table[%r, %c] : memref<?x?xi64>
  }
  return
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
func.func @deposit(%row: memref<?xi32>, %col: memref<?xi32>, %mass: memref<?xf64>, %grid: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %mass, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %r = affine.load %row[%i] : memref<?xi32>
    %c = affine.load %col[%i] : memref<?xi32>
    %y = arith.index_cast %r : i32 to index
    %x = arith.index_cast %c : i32 to index
    %m = affine.load %mass[%i] : memref<?xf64>
    %old = memref.load %grid[%y, %x] : memref<?x?xf64>
    %new = arith.addf %old, %m : f64
    memref.store %new, %grid[%y, %x] : memref<?x?xf64>
  }
  return
}
