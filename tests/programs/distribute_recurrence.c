// expect: scan
// F13: a parallel part, a running difference, and another parallel part in one body.
void distribute_recurrence(int n, double p[n], double q[n], double r[n], double w[n]) {
    for (int i = 1; i < n; i++) {
        p[i] = q[i] * q[i];
        w[i] = w[i - 1] - p[i];
        r[i] = p[i] + 1.0;
    }
}
