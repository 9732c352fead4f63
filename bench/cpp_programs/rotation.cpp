// expect: loop-free
// Nested braces, and an object that is returned.
#include <array>

struct Rotation {
    std::array<std::array<double, 2>, 2> m;
};

Rotation rotation(double c, double s) {
    Rotation r = {{{{c, -s}, {s, c}}}};
    return r;
}
