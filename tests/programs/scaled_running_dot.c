// expect: scan
// F29: a running sum of products, halved on the way out.
void scaled_running_dot(int n, double p[n], double q[n], double r[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s = s + p[i] * q[i];
        r[i] = s / 2.0;
    }
}
