// expect: loop-free
// F21: a chain of branches.
void three_way_branch(int n, double *p, const double *q, const double *r) {
    for (int i = 0; i < n; i++) {
        if (q[i] < -1.0)
            p[i] = r[i];
        else if (q[i] > 1.0)
            p[i] = -r[i];
        else
            p[i] = p[i] * q[i];
    }
}
