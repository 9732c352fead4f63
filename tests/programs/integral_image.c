// expect: scan
// Summed-area table: a scan along rows on top of the row above.
void integral_image(int h, int w, double a[h][w], double o[h][w]) {
    for (int i = 0; i < h; i++) {
        double s = 0.0;
        for (int j = 0; j < w; j++) {
            s += a[i][j];
            if (i == 0)
                o[i][j] = s;
            else
                o[i][j] = o[i - 1][j] + s;
        }
    }
}
