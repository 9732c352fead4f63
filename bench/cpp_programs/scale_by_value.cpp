// expect: loop-free
// A vector by value is changed and returned: the caller keeps its own.
#include <vector>

std::vector<double> scale_by_value(std::vector<double> x, double a) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] *= a;
    }
    return x;
}
