// expect: loop-free
// F21: an iteration left early from within two conditions.
double continue_nested(int n, const double *a) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0.0) {
            if (a[i] < -4.0)
                continue;
            s += 1.0;
        }
        s += a[i];
    }
    return s;
}
