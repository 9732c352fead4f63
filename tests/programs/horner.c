// expect: hybrid
// A polynomial from its coefficients: a recurrence with a constant factor.
double horner(int n, const double *c, double x) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s = s * x + c[i];
    return s;
}
