// expect: loop-free
// F20: a store under one condition, a safe division in it.
void masked_update(int n, double *p, const double *q, const double *r) {
    for (int i = 0; i < n; i++)
        if (q[i] < r[i])
            p[i] -= r[i] * r[i];
}
