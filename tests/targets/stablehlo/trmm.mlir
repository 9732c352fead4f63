func.func @kernel_trmm(%alpha: tensor<f64>, %A: tensor<24x24xf64>, %B: tensor<24x16xf64>) -> tensor<24x16xf64> {
  %0 = stablehlo.iota dim = 0 : tensor<24x24xi64>
  %1 = stablehlo.iota dim = 1 : tensor<24x24xi64>
  %2 = stablehlo.constant dense<-1> : tensor<24x24xi64>
  %3 = stablehlo.add %0, %2 : tensor<24x24xi64>
  %4 = stablehlo.compare GE, %3, %1 : (tensor<24x24xi64>, tensor<24x24xi64>) -> tensor<24x24xi1>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<24x24xf64>
  %6 = stablehlo.select %4, %A, %5 : tensor<24x24xi1>, tensor<24x24xf64>
  %7 = stablehlo.dot_general %6, %B, contracting_dims = [0] x [0] : (tensor<24x24xf64>, tensor<24x16xf64>) -> tensor<24x16xf64>
  %8 = stablehlo.add %B, %7 : tensor<24x16xf64>
  %9 = stablehlo.broadcast_in_dim %alpha, dims = [] : (tensor<f64>) -> tensor<24x16xf64>
  %B_1 = stablehlo.multiply %9, %8 : tensor<24x16xf64>
  return %B_1 : tensor<24x16xf64>
}
