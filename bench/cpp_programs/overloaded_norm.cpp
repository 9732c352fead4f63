// expect: loop-free
// Overloaded helpers, chosen by type.
#include <cmath>
#include <vector>

static double magnitude(double x) { return std::abs(x); }
static int magnitude(int x) { return std::abs(x); }

double overloaded_norm(const std::vector<double> &v, const std::vector<int> &w) {
    double s = 0.0;
    for (double x : v) {
        s += magnitude(x);
    }
    for (int k : w) {
        s += magnitude(k);
    }
    return s;
}
