func.func @kernel_covariance(%float_n: tensor<f64>, %data: tensor<40x32xf64>) -> (tensor<40x32xf64>, tensor<32x32xf64>, tensor<32xf64>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
  %1 = stablehlo.reduce(%data init: %0) applies stablehlo.add across dimensions = [0] : (tensor<40x32xf64>, tensor<f64>) -> tensor<32xf64>
  %2 = stablehlo.broadcast_in_dim %float_n, dims = [] : (tensor<f64>) -> tensor<32xf64>
  %mean = stablehlo.divide %1, %2 : tensor<32xf64>
  %3 = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<32xf64>) -> tensor<40x32xf64>
  %data_1 = stablehlo.subtract %data, %3 : tensor<40x32xf64>
  %4 = stablehlo.dot_general %data_1, %data_1, contracting_dims = [0] x [0] : (tensor<40x32xf64>, tensor<40x32xf64>) -> tensor<32x32xf64>
  %5 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
  %6 = stablehlo.subtract %float_n, %5 : tensor<f64>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f64>) -> tensor<32x32xf64>
  %cov = stablehlo.divide %4, %7 : tensor<32x32xf64>
  return %data_1, %cov, %mean : tensor<40x32xf64>, tensor<32x32xf64>, tensor<32xf64>
}
