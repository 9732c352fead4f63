// expect: loop-free
// A structure of two vectors is multiplied element by element.
#include <vector>

struct Signal {
    std::vector<float> re;
    std::vector<float> im;
};

void complex_parts(const Signal &a, const Signal &b, Signal &c) {
    for (std::size_t k = 0; k < a.re.size(); ++k) {
        c.re[k] = a.re[k] * b.re[k] - a.im[k] * b.im[k];
        c.im[k] = a.re[k] * b.im[k] + a.im[k] * b.re[k];
    }
}
