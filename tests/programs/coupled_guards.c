// expect: loop-free
// F22: a guard on a cell that the iteration before may have written.
void coupled_guards(int n, double *p, const double *q, const double *r, double *w) {
    for (int i = 0; i < n - 1; i++) {
        if (p[i] > 1.0)
            w[i] = w[i] + 1.0;
        if (q[i] > 0.0)
            p[i + 1] = r[i];
    }
}
