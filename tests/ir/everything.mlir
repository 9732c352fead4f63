func.func @f(%n: index {tl.name = "n", tl.c_type = "int"}, %alpha: f64 {tl.name="alpha"}, %A: memref<?x?xf64> {tl.name = "A", tl.shape = affine_map<()[s0] -> (s0, s0 - 1)>, tl.strides=["lda","1"]}) -> f64 attributes {tl.source = "a.c", tl.requires = [{kind = "stride", text = "K <= lda", set = affine_set<()[s0] : (s0 - 1 >= 0)>, loc = "a.c:1:2"}]} {
  %c = arith.constant 1.0 : f64
  %x = memref.alloca() {tl.name = "x", tl.unsigned} : memref<f64>
  %y = memref.alloca(%n) {tl.name = "y"} : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = max affine_map<(d0)[s0] -> (d0, s0 - 1)>(%i)[%n] to min affine_map<(d0)[s0] -> (d0 + 1, s0)>(%i)[%n] step 2 {
      %v = affine.load %A[%i, symbol(%n) - 1] {tl.tag} : memref<?x?xf64>
      affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 == 0)>(%i)[%n] {
        affine.store %v, %x[] : memref<f64>
      } else {
        %u = arith.mulf %v, %alpha fastmath<fast> : f64
        affine.store %u, %A[%i, %j floordiv 2] : memref<?x?xf64>
      }
    }
  }
  %m = affine.max affine_map<()[s0] -> (s0, 3)>()[%n]
  %m2 = affine.min affine_map<()[s0] -> (s0, 3)>()[%n]
  %m3 = affine.apply affine_map<(d0)[s0] -> (d0+s0 - 3)>(%m)[%n]
  %r = affine.for %k = 0 to 10 iter_args(%acc = %c) -> (f64) {
     %q = arith.addf %acc, %alpha : f64
     affine.yield %q : f64
  }
  %w = affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%n] -> f64 {
    affine.yield %r : f64
  } else {
    affine.yield %c : f64
  }
  %rr = arith.remf %w, %c : f64
  %z = scf.for %kk = %m to %n step %m2 iter_args(%acc = %c) -> (f64) {
    scf.yield %acc : f64
  }
  %cond = arith.cmpf olt, %w, %c : f64
  %s = scf.if %cond -> (f64) { scf.yield %z : f64 } else { scf.yield %c : f64 }
  scf.if %cond { affine.store %s, %x[] : memref<f64> }
  %k32 = arith.index_cast %n : index to i32
  %ku = arith.index_castui %n : index to i32
  %ov = arith.addi %k32, %ku overflow<nsw> : i32
  %sh = arith.shli %k32, %ku  : i32
  %ff = math.fma %w, %c, %s : f64
  %mm = math.absf %w fastmath<fast> : f64
  %neg = arith.negf %w : f64
  %cst = arith.constant 5 : i32
  %cst2 = arith.constant -0.1 : f64
  %cst3 = arith.constant 0x7FF0000000000000 : f64
  %cst4 = arith.constant true
  %cst5 = arith.constant -1 : i64
  %cst6 = arith.constant 0.1 : f32
  memref.dealloc %y : memref<?xf64>
  func.return %w : f64
}
