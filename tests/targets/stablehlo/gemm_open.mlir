func.func @kernel_gemm(%alpha: tensor<f64>, %beta: tensor<f64>, %C: tensor<?x?xf64>, %A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = stablehlo.get_dimension_size %C, dim = 0 : (tensor<?x?xf64>) -> tensor<i32>
  %ni = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
  %1 = stablehlo.get_dimension_size %C, dim = 1 : (tensor<?x?xf64>) -> tensor<i32>
  %nj = stablehlo.convert %1 : (tensor<i32>) -> tensor<i64>
  %2 = stablehlo.reshape %ni : (tensor<i64>) -> tensor<1xi64>
  %3 = stablehlo.reshape %nj : (tensor<i64>) -> tensor<1xi64>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %5 = stablehlo.dynamic_broadcast_in_dim %beta, %4, dims = [] : (tensor<f64>, tensor<2xi64>) -> tensor<?x?xf64>
  %6 = stablehlo.multiply %C, %5 : tensor<?x?xf64>
  %7 = stablehlo.dot_general %A, %B, contracting_dims = [1] x [0] : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %8 = stablehlo.dynamic_broadcast_in_dim %alpha, %4, dims = [] : (tensor<f64>, tensor<2xi64>) -> tensor<?x?xf64>
  %9 = stablehlo.multiply %8, %7 : tensor<?x?xf64>
  %C_1 = stablehlo.add %6, %9 : tensor<?x?xf64>
  return %C_1 : tensor<?x?xf64>
}
