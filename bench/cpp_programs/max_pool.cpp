// expect: loop-free
// A tensor class with an accessor in three dimensions.
#include <cmath>
#include <vector>

class Tensor3 {
public:
    Tensor3(int c, int h, int w) : c_(c), h_(h), w_(w), v_(c * h * w) {}
    float &at(int c, int y, int x) { return v_[(c * h_ + y) * w_ + x]; }
    float at(int c, int y, int x) const { return v_[(c * h_ + y) * w_ + x]; }
    int channels() const { return c_; }
    int height() const { return h_; }
    int width() const { return w_; }

private:
    int c_, h_, w_;
    std::vector<float> v_;
};

Tensor3 max_pool(const Tensor3 &in) {
    Tensor3 out(in.channels(), in.height() / 2, in.width() / 2);
    for (int c = 0; c < in.channels(); ++c) {
        for (int y = 0; y < out.height(); ++y) {
            for (int x = 0; x < out.width(); ++x) {
                float best = in.at(c, 2 * y, 2 * x);
                best = std::fmax(best, in.at(c, 2 * y, 2 * x + 1));
                best = std::fmax(best, in.at(c, 2 * y + 1, 2 * x));
                best = std::fmax(best, in.at(c, 2 * y + 1, 2 * x + 1));
                out.at(c, y, x) = best;
            }
        }
    }
    return out;
}
