// expect: loop-free
// A parallel loop with its reduction clause.
double openmp_pragma(int n, const double *a, const double *b) {
    double s = 0.0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
