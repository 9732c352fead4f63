// expect: loop-free
// F08: a constant and a helper function to inline; the reads are ahead of the writes.
static double helper(double u, double v) {
    return u * v + 1.0;
}

void helper_call(int n, double *p, const double *q) {
    const int m = 2;
    for (int i = 0; i < n - 2; i++)
        p[i] = helper(q[i], p[i + m]);
}
