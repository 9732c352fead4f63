// Functions of <math.h> are operations.
#include <math.h>
float f(float x, double y) {
    return sqrtf(x) + fmax(y, fabs(x)) * isnan(y);
}

// MLIR
// func.func @f(%x: f32 {tl.name = "x"}, %y: f64 {tl.name = "y"}) -> f32 {
//   %0 = math.sqrt %x : f32
//   %1 = arith.extf %0 : f32 to f64
//   %2 = arith.extf %x : f32 to f64
//   %3 = math.absf %2 : f64
//   %4 = arith.maxnumf %y, %3 : f64
//   %5 = arith.cmpf une, %y, %y : f64
//   %6 = arith.extui %5 : i1 to i32
//   %7 = arith.sitofp %6 : i32 to f64
//   %8 = arith.mulf %4, %7 : f64
//   %9 = arith.addf %1, %8 : f64
//   %10 = arith.truncf %9 : f64 to f32
//   func.return %10 : f32
// }
