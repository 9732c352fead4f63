// expect: loop-free
// A helper adds to a number through a reference.
#include <vector>

static void add_all(double &total, const std::vector<double> &v) {
    for (double x : v) {
        total += x;
    }
}

double sum_by_reference(const std::vector<double> &a, const std::vector<double> &b) {
    double total = 0.0;
    add_all(total, a);
    add_all(total, b);
    return total;
}
