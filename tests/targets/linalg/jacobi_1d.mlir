func.func @kernel_jacobi_1d(%tsteps: index, %A: tensor<?xf64>, %B: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.33333 : f64
  %n = tensor.dim %A, %c0 : tensor<?xf64>
  %0:2 = scf.for %t = %c0 to %tsteps step %c1 iter_args(%B_0 = %B, %A_0 = %A) -> (tensor<?xf64>, tensor<?xf64>) {
    %1 = affine.max affine_map<()[s0] -> (s0 - 2, 0)>()[%n]
    %2 = tensor.extract_slice %A_0[0] [%1] [1] : tensor<?xf64> to tensor<?xf64>
    %3 = tensor.extract_slice %A_0[1] [%1] [1] : tensor<?xf64> to tensor<?xf64>
    %4 = tensor.extract_slice %A_0[2] [%1] [1] : tensor<?xf64> to tensor<?xf64>
    %5 = tensor.empty(%1) : tensor<?xf64>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%2, %3, %4 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) outs(%5 : tensor<?xf64>) {
    ^bb0(%in: f64, %in_0: f64, %in_1: f64, %out: f64):
      %7 = arith.addf %in, %in_0 : f64
      %8 = arith.addf %7, %in_1 : f64
      %9 = arith.mulf %cst, %8 : f64
      linalg.yield %9 : f64
    } -> tensor<?xf64>
    %B_1 = tensor.insert_slice %6 into %B_0[1] [%1] [1] : tensor<?xf64> into tensor<?xf64>
    %10 = tensor.extract_slice %B_1[0] [%1] [1] : tensor<?xf64> to tensor<?xf64>
    %11 = tensor.extract_slice %B_1[1] [%1] [1] : tensor<?xf64> to tensor<?xf64>
    %12 = tensor.extract_slice %B_1[2] [%1] [1] : tensor<?xf64> to tensor<?xf64>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%10, %11, %12 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) outs(%5 : tensor<?xf64>) {
    ^bb0(%in: f64, %in_0: f64, %in_1: f64, %out: f64):
      %14 = arith.addf %in, %in_0 : f64
      %15 = arith.addf %14, %in_1 : f64
      %16 = arith.mulf %cst, %15 : f64
      linalg.yield %16 : f64
    } -> tensor<?xf64>
    %A_1 = tensor.insert_slice %13 into %A_0[1] [%1] [1] : tensor<?xf64> into tensor<?xf64>
    scf.yield %B_1, %A_1 : tensor<?xf64>, tensor<?xf64>
  }
  return %0#1, %0#0 : tensor<?xf64>, tensor<?xf64>
}
