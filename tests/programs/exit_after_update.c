// expect: refused
// F32: the loop ends at the first zero, after an update.
void exit_after_update(int n, double *p, const double *q, const double *r) {
    for (int i = 0; i < n; i++) {
        p[i] -= q[i];
        if (r[i] == 0.0)
            break;
    }
}
