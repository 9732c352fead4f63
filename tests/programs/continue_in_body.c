// expect: loop-free
// F21: an iteration left early.
void continue_in_body(int n, const double *a, double *o) {
    for (int i = 0; i < n; i++) {
        if (a[i] < 0.0)
            continue;
        o[i] = a[i] * 2.0;
    }
}
