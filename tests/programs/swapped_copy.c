// expect: hybrid
// A local copy of an array whose cells are swapped, while the array takes what ends up last.
void swapped_copy(int n, double x[n], double w[n]) {
    double buf[n];
    x[0] = w[1];
    for (int i = 0; i < n; i++)
        buf[i] = x[i];
    for (int i = 1; i < n; i++) {
        double t = buf[n - 1 - i];
        buf[n - 1 - i] = buf[i];
        buf[i] = t;
        x[i] = buf[n - 1];
    }
    w[0] = buf[0];
}
