// expect: loop-free
// F26: a product of shifted elements.
double product_reduction(int n, const double *p) {
    double s = 1.0;
    for (int i = 0; i < n; i++)
        s *= 1.0 + p[i];
    return s;
}
