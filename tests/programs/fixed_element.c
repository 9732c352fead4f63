// expect: loop-free
// F04: every cell reads element 0, which the first iteration changes.
void fixed_element(int n, double *p, const double *q) {
    for (int i = 0; i < n; i++)
        p[i] = q[i] - p[0];
}
