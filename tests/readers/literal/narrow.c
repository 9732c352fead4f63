// Narrow types are promoted to `int`, computed with, and cut again where they are kept.
unsigned char f(unsigned char a, signed char b) {
    a += b;
    a++;
    return a;
}

// MLIR
// func.func @f(%a: i8 {tl.name = "a"}, %b: i8 {tl.name = "b"}) -> i8 {
//   %0 = arith.extsi %b : i8 to i32
//   %1 = arith.extui %a : i8 to i32
//   %2 = arith.addi %1, %0 overflow<nsw> : i32
//   %3 = arith.trunci %2 : i32 to i8
//   %4 = arith.extui %3 : i8 to i32
//   %5 = arith.constant 1 : i32
//   %6 = arith.addi %4, %5 overflow<nsw> : i32
//   %7 = arith.trunci %6 : i32 to i8
//   func.return %7 : i8
// }
