// expect: loop-free
// A mean over 3 by 3 pixels, with signed offsets to unsigned subscripts.
#include <cstdint>
#include <vector>

using Image = std::vector<std::vector<uint8_t>>;

Image box_blur(const Image &in) {
    const std::size_t h = in.size(), w = in[0].size();
    Image out(h, std::vector<uint8_t>(w, 0));
    for (std::size_t y = 1; y + 1 < h; ++y) {
        for (std::size_t x = 1; x + 1 < w; ++x) {
            int sum = 0;
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    sum += in[y + dy][x + dx];
                }
            }
            out[y][x] = static_cast<uint8_t>(sum / 9);
        }
    }
    return out;
}
