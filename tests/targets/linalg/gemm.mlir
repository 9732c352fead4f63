func.func @kernel_gemm(%alpha: f64, %beta: f64, %C: tensor<?x?xf64>, %A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %ni = tensor.dim %C, %c0 : tensor<?x?xf64>
  %nj = tensor.dim %C, %c1 : tensor<?x?xf64>
  %0 = tensor.empty(%ni, %nj) : tensor<?x?xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = linalg.matmul ins(%A, %B : tensor<?x?xf64>, tensor<?x?xf64>) outs(%1 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%C, %2 : tensor<?x?xf64>, tensor<?x?xf64>) outs(%0 : tensor<?x?xf64>) {
  ^bb0(%in: f64, %in_0: f64, %out: f64):
    %4 = arith.mulf %in, %beta : f64
    %5 = arith.mulf %alpha, %in_0 : f64
    %6 = arith.addf %4, %5 : f64
    linalg.yield %6 : f64
  } -> tensor<?x?xf64>
  return %3 : tensor<?x?xf64>
}
