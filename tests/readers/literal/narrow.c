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
//   %a_1 = arith.trunci %2 : i32 to i8
//   %3 = arith.extui %a_1 : i8 to i32
//   %4 = arith.constant 1 : i32
//   %5 = arith.addi %3, %4 overflow<nsw> : i32
//   %a_2 = arith.trunci %5 : i32 to i8
//   func.return %a_2 : i8
// }
