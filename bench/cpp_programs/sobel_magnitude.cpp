// expect: loop-free
// The gradient of an image in a flat vector, zero at the border.
#include <cmath>
#include <vector>

std::vector<float> sobel_magnitude(const std::vector<float> &img, int width, int height) {
    std::vector<float> out(width * height, 0.0f);
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) {
            const float *above = &img[(y - 1) * width + x];
            const float *here = &img[y * width + x];
            const float *below = &img[(y + 1) * width + x];
            float gx = above[1] - above[-1] + 2.0f * (here[1] - here[-1]) + below[1] - below[-1];
            float gy = below[-1] + 2.0f * below[0] + below[1] - above[-1] - 2.0f * above[0] - above[1];
            out[y * width + x] = std::sqrt(gx * gx + gy * gy);
        }
    }
    return out;
}
