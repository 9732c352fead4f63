// expect: loop-free
// A flat loop over a product of sizes beside accesses that step by the first of them.
void mirrored_columns(int width, int height, const int *img, int *out) {
    for (int i = 0; i < width * height; i++)
        out[i] = 1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width / 2; x++)
            out[y * width + x] = img[y * width + width - 1 - x];
}
