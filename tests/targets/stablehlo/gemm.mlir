func.func @kernel_gemm(%alpha: tensor<f64>, %beta: tensor<f64>, %C: tensor<64x32xf64>, %A: tensor<64x48xf64>, %B: tensor<48x32xf64>) -> tensor<64x32xf64> {
  %0 = stablehlo.broadcast_in_dim %beta, dims = [] : (tensor<f64>) -> tensor<64x32xf64>
  %1 = stablehlo.multiply %C, %0 : tensor<64x32xf64>
  %2 = stablehlo.dot_general %A, %B, contracting_dims = [1] x [0] : (tensor<64x48xf64>, tensor<48x32xf64>) -> tensor<64x32xf64>
  %3 = stablehlo.broadcast_in_dim %alpha, dims = [] : (tensor<f64>) -> tensor<64x32xf64>
  %4 = stablehlo.multiply %3, %2 : tensor<64x32xf64>
  %C_1 = stablehlo.add %1, %4 : tensor<64x32xf64>
  return %C_1 : tensor<64x32xf64>
}
