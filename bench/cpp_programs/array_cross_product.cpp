// expect: loop-free
// A cross product on std::array, returned in braces.
#include <array>

std::array<double, 3> array_cross_product(const std::array<double, 3> &a, const std::array<double, 3> &b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
