// Each construct that is read literally, in a function that the front end reads too.
func.func @bounds(%A: memref<?x?xf64>, %n: index, %m: index) {
  affine.for %i = max affine_map<(d0)[s0] -> (1, s0 - d0)>(%m)[%n] to min affine_map<(d0)[s0] -> (s0, d0 * 2 + 3)>(%m)[%n] step 2 {
    affine.for %j = affine_map<()[s0] -> (s0 floordiv 3)>()[%n] to affine_map<()[s0] -> (s0 ceildiv 2 + 3)>()[%n] {
      %k = affine.apply affine_map<(d0, d1) -> ((d0 - d1) mod 3)>(%i, %j)
      %v = arith.index_cast %k : index to i64
      %f = arith.sitofp %v : i64 to f64
      affine.store %f, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
#odd = affine_set<(d0, d1)[s0] : (d0 mod 2 - 1 == 0, s0 - d0 - d1 - 1 >= 0)>
func.func @branches(%A: memref<?x?xi32>, %x: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.if #odd(%i, %j)[%n] {
        affine.store %seven, %A[%i, %j] : memref<?x?xi32>
      }
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xi32>
    %less = arith.cmpi ult, %a, %seven : i32
    %b, %c = scf.if %less -> (i32, i32) {
      %d = arith.muli %a, %a : i32
      scf.yield %d, %a : i32, i32
    } else {
      scf.yield %seven, %a : i32, i32
    }
    %e = arith.subi %b, %c : i32
    memref.store %e, %x[%i] : memref<?xi32>
  }
  return
}
func.func @parallel(%A: memref<?x?xf64>, %x: memref<?xi64>, %n: index, %m: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %least = affine.parallel (%i) = (0) to (%n) reduce ("addi") -> (i64) {
    %a = affine.load %x[%i] : memref<?xi64>
    affine.yield %a : i64
  }
  affine.parallel (%i, %j) = (0, 1) to (%n, min(%m, %n)) step (1, 2) {
    %f = arith.sitofp %least : i64 to f64
    affine.store %f, %A[%i, %j] : memref<?x?xf64>
  }
  %p = scf.parallel (%i, %j) = (%c0, %c1) to (%n, %m) step (%c1, %c1) init (%one) -> f64 {
    %a = memref.load %A[%i, %j] : memref<?x?xf64>
    scf.reduce(%a : f64) {
    ^bb0(%one_side: f64, %other: f64):
      %s = arith.maximumf %one_side, %other : f64
      scf.reduce.return %s : f64
    }
  }
  return %p : f64
}
func.func private @twice(%x: memref<?xf32, strided<[?], offset: ?>>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32, strided<[?], offset: ?>>
    %b = arith.addf %a, %a : f32
    affine.store %b, %x[%i] : memref<?xf32, strided<[?], offset: ?>>
  }
  return
}
func.func @views(%A: memref<?x?xf32>, %B: memref<1x8xf32>, %n: index) {
  %part = memref.subview %A[0, 1] [%n, 1] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[?], offset: 1>>
  %column = memref.cast %part : memref<?xf32, strided<[?], offset: 1>> to memref<?xf32, strided<[?], offset: ?>>
  func.call @twice(%column, %n) : (memref<?xf32, strided<[?], offset: ?>>, index) -> ()
  %some = memref.subview %A[1, 0] [3, 2] [2, 1] : memref<?x?xf32> to memref<3x2xf32, strided<[?, 1], offset: ?>>
  %buffer = memref.alloc() : memref<3x2xf32>
  memref.copy %some, %buffer : memref<3x2xf32, strided<[?, 1], offset: ?>> to memref<3x2xf32>
  %row = memref.collapse_shape %B [[0, 1]] : memref<1x8xf32> into memref<8xf32>
  affine.for %i = 0 to 3 {
    %a = affine.load %buffer[%i, 1] : memref<3x2xf32>
    affine.store %a, %row[%i + 2] : memref<8xf32>
  }
  memref.dealloc %buffer : memref<3x2xf32>
  return
}
func.func @sizes(%A: memref<?x4xi16>, %B: memref<?x4xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x4xi16>
  %four = memref.dim %A, %c1 : memref<?x4xi16>
  %C = memref.cast %B : memref<?x4xi16> to memref<?x?xi16>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %four step %c1 {
      %a = memref.load %A[%i, %j] : memref<?x4xi16>
      memref.store %a, %C[%i, %j] : memref<?x?xi16>
    }
  }
  return
}
func.func @returned(%x: memref<?xi8>) -> (memref<?xi8>, memref<i32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi8>
  %y = memref.alloc(%n) : memref<?xi8>
  %total = memref.alloc() : memref<i32>
  %zero = arith.constant 0 : i32
  affine.store %zero, %total[] : memref<i32>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xi8>
    affine.store %a, %y[%i] : memref<?xi8>
    %b = arith.extui %a : i8 to i32
    %c = affine.load %total[] : memref<i32>
    %d = arith.addi %b, %c : i32
    affine.store %d, %total[] : memref<i32>
  }
  return %y, %total : memref<?xi8>, memref<i32>
}
func.func @linalg(%A: memref<5x4xf64>, %B: memref<4x3xf64>, %C: memref<5x3xf64>, %D: memref<3x5xf64>, %k: memref<5x3xi64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%C : memref<5x3xf64>)
  linalg.matmul ins(%A, %B : memref<5x4xf64>, memref<4x3xf64>) outs(%C : memref<5x3xf64>)
  linalg.transpose ins(%C : memref<5x3xf64>) outs(%D : memref<3x5xf64>) permutation = [1, 0]
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%D : memref<3x5xf64>) outs(%k : memref<5x3xi64>) {
  ^bb0(%d: f64, %old: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.subi %i, %j : index
    %v = arith.index_cast %s : index to i64
    %w = arith.addi %old, %v : i64
    linalg.yield %w : i64
  }
  return
}
func.func @truths(%p: memref<?xi1>, %q: memref<?xi1>, %x: memref<?xi32>, %t: i1, %n: index) -> i1 {
  %last = affine.for %i = 0 to %n iter_args(%all = %t) -> (i1) {
    %a = affine.load %p[%i] : memref<?xi1>
    %b = arith.extsi %a : i1 to i32
    affine.store %b, %x[%i] : memref<?xi32>
    %c = arith.xori %a, %t : i1
    affine.store %c, %q[%i] : memref<?xi1>
    %d = arith.andi %all, %c : i1
    affine.yield %d : i1
  }
  return %last : i1
}
func.func @unordered(%x: memref<?xf64>, %y: memref<?xf64>, %r: memref<9x?xi1>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = affine.load %y[%i] : memref<?xf64>
    %0 = arith.cmpf ueq, %a, %b : f64
    affine.store %0, %r[0, %i] : memref<9x?xi1>
    %1 = arith.cmpf ugt, %a, %b : f64
    affine.store %1, %r[1, %i] : memref<9x?xi1>
    %2 = arith.cmpf uge, %a, %b : f64
    affine.store %2, %r[2, %i] : memref<9x?xi1>
    %3 = arith.cmpf ult, %a, %b : f64
    affine.store %3, %r[3, %i] : memref<9x?xi1>
    %4 = arith.cmpf ule, %a, %b : f64
    affine.store %4, %r[4, %i] : memref<9x?xi1>
    %5 = arith.cmpf one, %a, %b : f64
    affine.store %5, %r[5, %i] : memref<9x?xi1>
    %6 = arith.cmpf ord, %a, %b : f64
    affine.store %6, %r[6, %i] : memref<9x?xi1>
    %7 = arith.cmpf uno, %a, %b : f64
    affine.store %7, %r[7, %i] : memref<9x?xi1>
    %8 = arith.cmpf true, %a, %b : f64
    affine.store %8, %r[8, %i] : memref<9x?xi1>
  }
  return
}
func.func @indices(%x: memref<?xi64>, %y: memref<?xi8>, %n: index) {
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %n {
    %a = arith.muli %i, %c3 : index
    %b = arith.subi %c3, %a : index
    %c = arith.index_cast %b : index to i64
    %d = arith.floordivsi %b, %c3 : index
    %e = arith.index_castui %i : index to i64
    %f = arith.index_cast %d : index to i64
    %g = arith.muli %c, %f overflow<nsw, nuw> : i64
    %h = arith.addi %g, %e : i64
    affine.store %h, %x[%i] : memref<?xi64>
    %k = arith.index_cast %i : index to i8
    affine.store %k, %y[%i] : memref<?xi8>
  }
  return
}
func.func @narrow(%x: memref<?xf32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  scf.for %i = %zero to %n step %two : i32 {
    %k = arith.index_cast %i : i32 to index
    %v = arith.sitofp %i : i32 to f32
    memref.store %v, %x[%k] : memref<?xf32>
  }
  return
}
func.func @bits(%x: memref<?xi32>, %y: memref<?xi8>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xi32>
    %b = affine.load %y[%i] : memref<?xi8>
    %leading = math.ctlz %a : i32
    %trailing = math.cttz %b : i8
    %set = math.ctpop %b : i8
    %both = arith.muli %trailing, %set : i8
    affine.store %leading, %x[%i] : memref<?xi32>
    affine.store %both, %y[%i] : memref<?xi8>
  }
  return
}
func.func @of_index(%x: memref<?xi64>, %n: index) {
  %four = index.constant 4
  affine.for %i = 0 to %n {
    %a = index.mul %i, %i
    %b = index.remu %a, %four
    %c = index.maxs %b, %i
    %d = index.shl %c, %four
    %e = index.sub %d, %a
    %less = index.cmp slt(%e, %n)
    %f = arith.select %less, %e, %b : index
    %g = index.casts %f : index to i64
    affine.store %g, %x[%i] : memref<?xi64>
  }
  return
}
func.func @vectors(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %p: memref<?xi32>, %n: index, %m: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ones = arith.constant dense<[1.0, 2.0, 3.0]> : vector<3xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %ones) -> (vector<3xf32>) {
    %a = vector.transfer_read %x[%i, %c0], %zero : memref<?x?xf32>, vector<3xf32>
    %b = vector.fma %a, %a, %ones : vector<3xf32>
    %less = arith.cmpf olt, %a, %b : vector<3xf32>
    %c = arith.select %less, %b, %carried : vector<3xi1>, vector<3xf32>
    vector.transfer_write %c, %y[%i, %c1] : vector<3xf32>, memref<?x?xf32>
    %d = scf.index_switch %i -> vector<3xf32>
    case 1 {
      scf.yield %a : vector<3xf32>
    }
    default {
      %e = arith.addf %c, %carried : vector<3xf32>
      scf.yield %e : vector<3xf32>
    }
    scf.yield %d : vector<3xf32>
  }
  %first = vector.extract %sum[0] : f32 from vector<3xf32>
  %r = vector.reduction <maximumf>, %sum, %first : vector<3xf32> into f32
  return %r : f32
}
