func.func @main() -> i32 {
  %n = arith.constant 11 : index
  %x = memref.alloca(%n) : memref<?xi32>
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  affine.for %i = 0 to %n {
    %k = affine.apply affine_map<(d0)[s0] -> ((d0 * 7 - s0) mod 5 + (d0 - 6) floordiv 2 - (d0 - s0) ceildiv 3)>(%i)[%n]
    %v = arith.index_cast %k : index to i32
    affine.store %v, %x[%i] : memref<?xi32>
  }
  affine.for %i = max affine_map<()[s0] -> (1, s0 - 9)>()[%n] to min affine_map<()[s0] -> (s0, 10)>()[%n] step 2 {
    affine.if affine_set<(d0)[s0] : (d0 - 3 >= 0, s0 - d0 - 2 >= 0)>(%i)[%n] {
      %a = affine.load %x[%i - 1] : memref<?xi32>
      %b = affine.load %x[symbol(%n) - %i] : memref<?xi32>
      %q = arith.divsi %a, %three : i32
      %r = arith.remsi %b, %three : i32
      %s = arith.muli %q, %b : i32
      %t = arith.addi %s, %r : i32
      affine.store %t, %x[%i] : memref<?xi32>
    } else {
      affine.store %three, %x[%i] : memref<?xi32>
    }
  }
  %sum = affine.for %i = 0 to %n iter_args(%acc = %zero) -> (i32) {
    %v = affine.load %x[%i] : memref<?xi32>
    %c = arith.cmpi slt, %v, %zero : i32
    %m = scf.if %c -> (i32) { %w = arith.shli %v, %three : i32
 scf.yield %w : i32 } else { scf.yield %v : i32 }
    %p = arith.muli %acc, %three : i32
    %s = arith.addi %p, %m : i32
    affine.yield %s : i32
  }
  return %sum : i32
}
