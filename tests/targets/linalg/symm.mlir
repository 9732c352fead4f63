func.func @kernel_symm(%alpha: f64, %beta: f64, %C: tensor<?x?xf64>, %A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = tensor.dim %C, %c0 : tensor<?x?xf64>
  %n = tensor.dim %C, %c1 : tensor<?x?xf64>
  %0 = tensor.empty(%m, %m) : tensor<?x?xf64>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%A, %A : tensor<?x?xf64>, tensor<?x?xf64>) outs(%0 : tensor<?x?xf64>) {
  ^bb0(%in: f64, %in_0: f64, %out: f64):
    %2 = linalg.index 1 : index
    %3 = linalg.index 0 : index
    %4 = arith.cmpi sle, %2, %3 : index
    %5 = arith.select %4, %in, %in_0 : f64
    linalg.yield %5 : f64
  } -> tensor<?x?xf64>
  %6 = tensor.empty(%m, %n) : tensor<?x?xf64>
  %7 = linalg.fill ins(%zero : f64) outs(%6 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %8 = linalg.matmul ins(%1, %B : tensor<?x?xf64>, tensor<?x?xf64>) outs(%7 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%C, %8 : tensor<?x?xf64>, tensor<?x?xf64>) outs(%6 : tensor<?x?xf64>) {
  ^bb0(%in: f64, %in_0: f64, %out: f64):
    %10 = arith.mulf %beta, %in : f64
    %11 = arith.mulf %alpha, %in_0 : f64
    %12 = arith.addf %10, %11 : f64
    linalg.yield %12 : f64
  } -> tensor<?x?xf64>
  return %9 : tensor<?x?xf64>
}
