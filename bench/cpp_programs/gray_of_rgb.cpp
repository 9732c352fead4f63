// expect: loop-free
// Luminance of interleaved bytes.
#include <cstdint>
#include <vector>

std::vector<float> gray_of_rgb(const std::vector<uint8_t> &rgb, int width, int height) {
    std::vector<float> gray(width * height);
    for (int i = 0; i < width * height; ++i) {
        gray[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
    }
    return gray;
}
