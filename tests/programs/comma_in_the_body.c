// expect: loop-free
// Sum and sum of squares in one statement with a comma.
double comma_in_the_body(int n, const double *a) {
    double s = 0.0, q = 0.0;
    int i = 0;
    while (i < n)
        s += a[i], q += a[i] * a[i], i++;
    return n > 0 ? q / n - (s / n) * (s / n) : 0.0;
}
