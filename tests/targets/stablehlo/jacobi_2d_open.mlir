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
    %13 = stablehlo.constant dense<1> : tensor<1xi64>
    %14 = stablehlo.constant dense<0> : tensor<1xi64>
    %15 = stablehlo.concatenate %13, %14, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %16 = stablehlo.constant dense<-2> : tensor<i64>
    %17 = stablehlo.add %n, %16 : tensor<i64>
    %18 = stablehlo.reshape %17 : (tensor<i64>) -> tensor<1xi64>
    %19 = stablehlo.concatenate %10, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %20 = stablehlo.real_dynamic_slice %A_1, %15, %19, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %21 = stablehlo.add %12, %20 : tensor<?x?xf64>
    %22 = stablehlo.constant dense<2> : tensor<1xi64>
    %23 = stablehlo.concatenate %13, %22, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %24 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
    %25 = stablehlo.concatenate %10, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %26 = stablehlo.real_dynamic_slice %A_1, %23, %25, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %27 = stablehlo.add %21, %26 : tensor<?x?xf64>
    %28 = stablehlo.concatenate %22, %13, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %29 = stablehlo.concatenate %24, %10, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %30 = stablehlo.real_dynamic_slice %A_1, %28, %29, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %31 = stablehlo.add %27, %30 : tensor<?x?xf64>
    %32 = stablehlo.concatenate %14, %13, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %33 = stablehlo.concatenate %18, %10, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %34 = stablehlo.real_dynamic_slice %A_1, %32, %33, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %35 = stablehlo.add %31, %34 : tensor<?x?xf64>
    %36 = stablehlo.constant dense<2.000000e-01> : tensor<f64>
    %37 = stablehlo.concatenate %18, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %38 = stablehlo.dynamic_broadcast_in_dim %36, %37, dims = [] : (tensor<f64>, tensor<2xi64>) -> tensor<?x?xf64>
    %39 = stablehlo.multiply %38, %35 : tensor<?x?xf64>
    %40 = stablehlo.constant dense<1> : tensor<i64>
    %B_2 = stablehlo.dynamic_update_slice %B_1, %39, %40, %40 : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>, tensor<i64>) -> tensor<?x?xf64>
    %41 = stablehlo.real_dynamic_slice %B_2, %7, %11, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %42 = stablehlo.real_dynamic_slice %B_2, %15, %19, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %43 = stablehlo.add %41, %42 : tensor<?x?xf64>
    %44 = stablehlo.real_dynamic_slice %B_2, %23, %25, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %45 = stablehlo.add %43, %44 : tensor<?x?xf64>
    %46 = stablehlo.real_dynamic_slice %B_2, %28, %29, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %47 = stablehlo.add %45, %46 : tensor<?x?xf64>
    %48 = stablehlo.real_dynamic_slice %B_2, %32, %33, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %49 = stablehlo.add %47, %48 : tensor<?x?xf64>
    %50 = stablehlo.multiply %38, %49 : tensor<?x?xf64>
    %A_2 = stablehlo.dynamic_update_slice %A_1, %50, %40, %40 : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>, tensor<i64>) -> tensor<?x?xf64>
    %51 = stablehlo.add %t, %40 : tensor<i64>
    stablehlo.return %51, %A_2, %B_2 : tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>
  }) : (tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>) -> (tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>)
  return %A_3, %B_3 : tensor<?x?xf64>, tensor<?x?xf64>
}
