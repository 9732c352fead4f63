// expect: loop-free
// An FIR filter that appends to a reserved vector; a template, instantiated explicitly.
#include <vector>

namespace dsp {

template <typename T> std::vector<T> fir_valid(const std::vector<T> &x, const std::vector<T> &h) {
    std::vector<T> y;
    y.reserve(x.size());
    for (std::size_t n = h.size() - 1; n < x.size(); n++) {
        T sum = T(0);
        for (std::size_t k = 0; k < h.size(); k++) {
            sum += h[k] * x[n - k];
        }
        y.push_back(sum);
    }
    return y;
}

template std::vector<float> fir_valid<float>(const std::vector<float> &, const std::vector<float> &);

} // namespace dsp
