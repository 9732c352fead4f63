// A float becomes an integer where its type says so; one that does not fit is undefined.
unsigned char f(float x, double y) {
    return (unsigned char)(int)x + (unsigned char)y;
}

// MLIR
// func.func @f(%x: f32 {tl.name = "x"}, %y: f64 {tl.name = "y"}) -> i8 {
//   %0 = arith.fptosi %x : f32 to i32
//   %1 = arith.trunci %0 : i32 to i8
//   %2 = arith.extui %1 : i8 to i32
//   %3 = arith.fptoui %y : f64 to i8
//   %4 = arith.extui %3 : i8 to i32
//   %5 = arith.addi %2, %4 overflow<nsw> : i32
//   %6 = arith.trunci %5 : i32 to i8
//   func.return %6 : i8
// }
