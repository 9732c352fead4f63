// expect: refused
// A vector whose length depends on its data.
#include <vector>

std::vector<double> keep_positive(const std::vector<double> &v) {
    std::vector<double> out;
    for (double x : v) {
        if (x > 0) {
            out.push_back(x);
        }
    }
    return out;
}
