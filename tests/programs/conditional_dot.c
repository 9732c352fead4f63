// expect: loop-free
// F25: a sum of products under a condition on one factor.
double conditional_dot(int n, const double *a, const double *b) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        if (b[i] > 0.5)
            s += a[i] * b[i];
    return s;
}
