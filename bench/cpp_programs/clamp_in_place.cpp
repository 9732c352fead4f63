// expect: loop-free
// Range-for by reference, std::clamp in a template helper.
#include <algorithm>
#include <vector>

template <typename T> static T limited(T x, T low, T high) {
    return std::clamp(x, low, high);
}

void clamp_in_place(std::vector<double> &v, double low, double high) {
    for (auto &x : v) {
        x = limited(x, low, high);
    }
}
