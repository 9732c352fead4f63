// expect: loop-free
// Two constant tables of weights, some of which are zero.
#include <stdlib.h>

void sobel_by_tables(const unsigned char *image, unsigned char *out, int w, int h) {
    static const int across[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int gx = 0, gy = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) {
                    gx += across[j + 1][i + 1] * image[(y + j) * w + x + i];
                    gy += across[i + 1][j + 1] * image[(y + j) * w + x + i];
                }
            int size = abs(gx) + abs(gy);
            out[y * w + x] = size > 255 ? 255 : size;
        }
}
