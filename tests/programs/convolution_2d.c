// expect: loop-free
// Valid two-dimensional correlation.
void convolution_2d(int h, int w, int r, int s, double x[h][w], double f[r][s], double y[h - r + 1][w - s + 1]) {
    for (int i = 0; i < h - r + 1; i++)
        for (int j = 0; j < w - s + 1; j++) {
            double sum = 0.0;
            for (int k = 0; k < r; k++)
                for (int l = 0; l < s; l++)
                    sum += x[i + k][j + l] * f[k][l];
            y[i][j] = sum;
        }
}
