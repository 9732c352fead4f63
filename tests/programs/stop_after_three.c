// expect: scan
// Sum of the first three positive values, by a counter in the condition.
double stop_after_three(int n, const double *a) {
    int taken = 0;
    double s = 0.0;
    for (int i = 0; i < n && taken < 3; i++) {
        if (a[i] > 0.0) {
            s += a[i];
            taken++;
        }
    }
    return s;
}
