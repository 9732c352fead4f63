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
    %8 = stablehlo.constant dense<1> : tensor<i64>
    %9 = stablehlo.minimum %8, %n : tensor<i64>
    %10 = stablehlo.reshape %9 : (tensor<i64>) -> tensor<1xi64>
    %11 = stablehlo.concatenate %10, %10, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %12 = stablehlo.constant dense<-2> : tensor<i64>
    %13 = stablehlo.add %n, %12 : tensor<i64>
    %14 = stablehlo.maximum %13, %1 : tensor<i64>
    %15 = stablehlo.reshape %14 : (tensor<i64>) -> tensor<1xi64>
    %16 = stablehlo.concatenate %15, %15, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %17 = stablehlo.add %11, %16 : tensor<2xi64>
    %18 = stablehlo.real_dynamic_slice %A_1, %11, %17, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %19 = stablehlo.constant dense<0> : tensor<1xi64>
    %20 = stablehlo.concatenate %10, %19, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %21 = stablehlo.add %20, %16 : tensor<2xi64>
    %22 = stablehlo.real_dynamic_slice %A_1, %20, %21, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %23 = stablehlo.add %18, %22 : tensor<?x?xf64>
    %24 = stablehlo.constant dense<2> : tensor<i64>
    %25 = stablehlo.minimum %24, %n : tensor<i64>
    %26 = stablehlo.reshape %25 : (tensor<i64>) -> tensor<1xi64>
    %27 = stablehlo.concatenate %10, %26, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %28 = stablehlo.add %27, %16 : tensor<2xi64>
    %29 = stablehlo.real_dynamic_slice %A_1, %27, %28, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %30 = stablehlo.add %23, %29 : tensor<?x?xf64>
    %31 = stablehlo.concatenate %26, %10, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %32 = stablehlo.add %31, %16 : tensor<2xi64>
    %33 = stablehlo.real_dynamic_slice %A_1, %31, %32, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %34 = stablehlo.add %30, %33 : tensor<?x?xf64>
    %35 = stablehlo.concatenate %19, %10, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %36 = stablehlo.add %35, %16 : tensor<2xi64>
    %37 = stablehlo.real_dynamic_slice %A_1, %35, %36, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %38 = stablehlo.add %34, %37 : tensor<?x?xf64>
    %39 = stablehlo.constant dense<2.000000e-01> : tensor<f64>
    %40 = stablehlo.dynamic_broadcast_in_dim %39, %16, dims = [] : (tensor<f64>, tensor<2xi64>) -> tensor<?x?xf64>
    %41 = stablehlo.multiply %40, %38 : tensor<?x?xf64>
    %B_2 = stablehlo.dynamic_update_slice %B_1, %41, %8, %8 : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>, tensor<i64>) -> tensor<?x?xf64>
    %42 = stablehlo.add %11, %16 : tensor<2xi64>
    %43 = stablehlo.real_dynamic_slice %B_2, %11, %42, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %44 = stablehlo.add %20, %16 : tensor<2xi64>
    %45 = stablehlo.real_dynamic_slice %B_2, %20, %44, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %46 = stablehlo.add %43, %45 : tensor<?x?xf64>
    %47 = stablehlo.add %27, %16 : tensor<2xi64>
    %48 = stablehlo.real_dynamic_slice %B_2, %27, %47, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %49 = stablehlo.add %46, %48 : tensor<?x?xf64>
    %50 = stablehlo.add %31, %16 : tensor<2xi64>
    %51 = stablehlo.real_dynamic_slice %B_2, %31, %50, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %52 = stablehlo.add %49, %51 : tensor<?x?xf64>
    %53 = stablehlo.add %35, %16 : tensor<2xi64>
    %54 = stablehlo.real_dynamic_slice %B_2, %35, %53, %7 : (tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
    %55 = stablehlo.add %52, %54 : tensor<?x?xf64>
    %56 = stablehlo.multiply %40, %55 : tensor<?x?xf64>
    %A_2 = stablehlo.dynamic_update_slice %A_1, %56, %8, %8 : (tensor<?x?xf64>, tensor<?x?xf64>, tensor<i64>, tensor<i64>) -> tensor<?x?xf64>
    %57 = stablehlo.add %t, %8 : tensor<i64>
    stablehlo.return %57, %A_2, %B_2 : tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>
  }) : (tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>) -> (tensor<i64>, tensor<?x?xf64>, tensor<?x?xf64>)
  return %A_3, %B_3 : tensor<?x?xf64>, tensor<?x?xf64>
}
