// expect: loop-free
// An operator that changes its object and returns a reference to it.
#include <cstddef>
#include <vector>

struct Samples {
    std::vector<float> values;
    Samples &operator+=(const Samples &other) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] += other.values[i];
        }
        return *this;
    }
};

void add_in_place(Samples &a, const Samples &b) {
    a += b;
}
