// expect: loop-free
// F34: a dot product unrolled by four.
double unrolled_dot(int n, double a[4 * n], double b[4 * n]) {
    double s = 0.0;
    for (int i = 0; i < 4 * n; i += 4)
        s += a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3];
    return s;
}
