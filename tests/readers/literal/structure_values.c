// Structures by value are variables, member by member, those in structures too.
struct point {
    float x, y;
};
struct box {
    struct point least, most;
};

float f(struct box b) {
    struct point size = {b.most.x - b.least.x}, other = size;
    other.y = b.most.y - b.least.y;
    size = other;
    return size.x * size.y;
}

// MLIR
// func.func @f(%b_least_x: f32 {tl.name = "b.least.x"}, %b_least_y: f32 {tl.name = "b.least.y"}, %b_most_x: f32 {tl.name = "b.most.x"}, %b_most_y: f32 {tl.name = "b.most.y"}) -> f32 {
//   %other_y = ub.poison : f32
//   %other_x = ub.poison : f32
//   %size_y = ub.poison : f32
//   %size_x = ub.poison : f32
//   %size_x_1 = arith.subf %b_most_x, %b_least_x : f32
//   %size_y_1 = arith.constant 0.000000e+00 : f32
//   %other_y_1 = arith.subf %b_most_y, %b_least_y : f32
//   %0 = arith.mulf %size_x_1, %other_y_1 : f32
//   func.return %0 : f32
// }
