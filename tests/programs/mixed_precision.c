// expect: loop-free
// Floats summed in double and stored as float.
void mixed_precision(int n, int m, const float *a, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < m; j++)
            s += (double)a[i * m + j] * x[j];
        y[i] = (float)s;
    }
}
