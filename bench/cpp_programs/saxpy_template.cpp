// expect: loop-free
// A template that is instantiated by a call in the same file.
#include <vector>

template <typename T> void saxpy_template(T a, const std::vector<T> &x, std::vector<T> &y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] += a * x[i];
    }
}

int main() {
    std::vector<float> x(3, 1.0f), y(3, 2.0f);
    saxpy_template(2.0f, x, y);
    return 0;
}
