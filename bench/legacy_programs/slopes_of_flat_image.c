// expect: loop-free
// A cleared image whose size is a product, then its inner cells; the order of the loops is that of the later accesses.
#include <string.h>

void slopes_of_flat_image(const float *img, int width, int height, float *out) {
    memset(out, 0, width * height * sizeof(float));
    for (int y = 0; y < height; y++)
        for (int x = 1; x < width - 1; x++)
            out[y * width + x] = img[y * width + x + 1] - img[y * width + x - 1];
}
