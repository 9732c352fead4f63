// expect: loop-free
// Rows of no positive sum leave their weight alone.
void continue_outer_after_inner(int n, int m, const double *a, double *w) {
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < m; j++) {
            if (a[i * m + j] < 0.0)
                continue;
            s += a[i * m + j];
        }
        if (s <= 0.0)
            continue;
        w[i] /= s;
    }
}
