// expect: loop-free
// Unsigned counters from one to a bound that they reach, and down from it.
double one_based_sums(unsigned long n, const double *x, double *y) {
    unsigned long j;
    double s = 0.0;
    for (j = 1; j <= n; j++)
        s += x[j];
    for (j = n; j >= 1; j--)
        y[j] = x[j] - s / n;
    return s;
}
