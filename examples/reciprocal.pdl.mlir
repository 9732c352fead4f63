// Division by what is broadcast becomes a product with its reciprocal, which is computed before: t / s = t * (1 / s).
pdl.pattern @reciprocal : benefit(1) {
  %wide = pdl.type
  %narrow = pdl.type
  %t = pdl.operand
  %whole = pdl.operand
  %part = pdl.operand
  %s = pdl.operand
  %axes = pdl.attribute
  %reshaped = pdl.operation "stablehlo.dynamic_reshape"(%s, %part : !pdl.value, !pdl.value) -> (%narrow : !pdl.type)
  %sum = pdl.result 0 of %reshaped
  %spread = pdl.operation "stablehlo.dynamic_broadcast_in_dim"(%sum, %whole : !pdl.value, !pdl.value)
      {"broadcast_dimensions" = %axes} -> (%wide : !pdl.type)
  %sums = pdl.result 0 of %spread
  %root = pdl.operation "stablehlo.divide"(%t, %sums : !pdl.value, !pdl.value) -> (%wide : !pdl.type)
  pdl.rewrite %root {
    %number = pdl.type : tensor<f64>
    %value = pdl.attribute = dense<1.0> : tensor<f64>
    %none = pdl.attribute = array<i64>
    %constant = pdl.operation "stablehlo.constant" {"value" = %value} -> (%number : !pdl.type)
    %one = pdl.result 0 of %constant
    %filled = pdl.operation "stablehlo.dynamic_broadcast_in_dim"(%one, %part : !pdl.value, !pdl.value)
      {"broadcast_dimensions" = %none} -> (%narrow : !pdl.type)
    %ones = pdl.result 0 of %filled
    %inverse = pdl.operation "stablehlo.divide"(%ones, %sum : !pdl.value, !pdl.value) -> (%narrow : !pdl.type)
    %reciprocal = pdl.result 0 of %inverse
    %all = pdl.operation "stablehlo.dynamic_broadcast_in_dim"(%reciprocal, %whole : !pdl.value, !pdl.value)
      {"broadcast_dimensions" = %axes} -> (%wide : !pdl.type)
    %factors = pdl.result 0 of %all
    %new = pdl.operation "stablehlo.multiply"(%t, %factors : !pdl.value, !pdl.value) -> (%wide : !pdl.type)
    pdl.replace %root with %new
  }
}
