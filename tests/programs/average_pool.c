// expect: loop-free
// Means of blocks of two by two pixels.
void average_pool(int h, int w, const float in[2 * h][2 * w], float out[h][w]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0.0f;
            for (int dy = 0; dy < 2; dy++)
                for (int dx = 0; dx < 2; dx++)
                    sum += in[2 * y + dy][2 * x + dx];
            out[y][x] = sum / 4.0f;
        }
}
