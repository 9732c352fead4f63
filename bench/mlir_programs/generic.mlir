// Generic syntax, as mlir-opt --mlir-print-op-generic writes it.
"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xi32>, memref<?xi32>, index) -> (), sym_name = "running_sum"}> ({
  ^bb0(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: index):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "affine.for"(%arg2, %0) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 1, 1>, step = 1 : index, upperBoundMap = affine_map<()[s0] -> (s0)>}> ({
    ^bb0(%arg3: index, %arg4: i32):
      %2 = "affine.load"(%arg0, %arg3) <{map = affine_map<(d0) -> (d0)>}> : (memref<?xi32>, index) -> i32
      %3 = "arith.addi"(%arg4, %2) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "affine.store"(%3, %arg1, %arg3) <{map = affine_map<(d0) -> (d0)>}> : (i32, memref<?xi32>, index) -> ()
      "affine.yield"(%3) : (i32) -> ()
    }) : (index, i32) -> i32
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
