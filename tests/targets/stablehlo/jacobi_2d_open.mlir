func.func @kernel_jacobi_2d(%tsteps: tensor<i64>, %A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %0 = stablehlo.get_dimension_size %A, dim = 0 : (tensor<?x?xf64>) -> tensor<i32>
  %n = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
  %1 = stablehlo.constant dense<0> : tensor<i64>
  %2, %A_3, %B_3 = "stablehlo.while"(%1, %A, %B) ({
  ^bb0(%3: tensor<i64>, %4: tensor<?x?xf64>, %5: tensor<?x?xf64>):
    %6 = stablehlo.compare LT, %3, %tsteps : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  }, {
  ^bb0(%t: tensor<i64>, %A_1: tensor<?x?xf64>, %B_1: tensor<?x?xf64>):
    %7 = stablehlo.constant dense<1> : tensor<2xi64>
    %8 = stablehlo.constant dense<-1> : tensor<i64>
    %9 = stablehlo.add %n, %8 : tensor<i64>
    %10 = stablehlo.reshape %9 : (tensor<i64>) -> tensor<1xi64>
    %11 = stablehlo.concatenate %10, %10, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %12 = stablehlo.real_dynamic_slice %A_1, %7, %11, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %13 = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
    %14 = stablehlo.constant dense<-2> : tensor<i64>
    %15 = stablehlo.add %n, %14 : tensor<i64>
    %16 = stablehlo.reshape %15 : (tensor<i64>) -> tensor<1xi64>
    %17 = stablehlo.concatenate %10, %16, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %18 = stablehlo.real_dynamic_slice %A_1, %13, %17, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %19 = stablehlo.add %12, %18 : tensor<?x?xf64>
    %20 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %21 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
    %22 = stablehlo.concatenate %10, %21, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %23 = stablehlo.real_dynamic_slice %A_1, %20, %22, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %24 = stablehlo.add %19, %23 : tensor<?x?xf64>
    %25 = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
    %26 = stablehlo.concatenate %21, %10, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %27 = stablehlo.real_dynamic_slice %A_1, %25, %26, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %28 = stablehlo.add %24, %27 : tensor<?x?xf64>
    %29 = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
    %30 = stablehlo.concatenate %16, %10, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %31 = stablehlo.real_dynamic_slice %A_1, %29, %30, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %32 = stablehlo.add %28, %31 : tensor<?x?xf64>
    %33 = stablehlo.constant dense<2.000000e-01> : tensor<f64>
    %34 = stablehlo.concatenate %16, %16, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %35 = stablehlo.dynamic_broadcast_in_dim %33, %34, dims = [] : (tensor<f64>, tensor<2xi64>) -> tensor<?x?xf64>
    %36 = stablehlo.multiply %35, %32 : tensor<?x?xf64>
    %37 = stablehlo.constant dense<1> : tensor<i64>
    %B_2 = stablehlo.dynamic_update_slice %B_1, %36, %37, %37 : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>, tensor<i64>) -> tensor<?x?xf64>
    %38 = stablehlo.real_dynamic_slice %B_2, %7, %11, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %39 = stablehlo.real_dynamic_slice %B_2, %13, %17, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %40 = stablehlo.add %38, %39 : tensor<?x?xf64>
    %41 = stablehlo.real_dynamic_slice %B_2, %20, %22, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %42 = stablehlo.add %40, %41 : tensor<?x?xf64>
    %43 = stablehlo.real_dynamic_slice %B_2, %25, %26, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %44 = stablehlo.add %42, %43 : tensor<?x?xf64>
    %45 = stablehlo.real_dynamic_slice %B_2, %29, %30, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %46 = stablehlo.add %44, %45 : tensor<?x?xf64>
    %47 = stablehlo.multiply %35, %46 : tensor<?x?xf64>
    %A_2 = stablehlo.dynamic_update_slice %A_1, %47, %37, %37 : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>, tensor<i64>) -> tensor<?x?xf64>
    %48 = stablehlo.add %t, %37 : tensor<i64>
    stablehlo.return %48, %A_2, %B_2 : tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>
  }) : (tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>) -> (tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>)
  return %A_3, %B_3 : tensor<?x?xf64>, tensor<?x?xf64>
}
