// expect: loop-free
// Moving average over a window of fixed length.
#define WINDOW 8

void moving_average(const double *x, double *y, int n) {
    for (int i = 0; i < n - WINDOW + 1; i++) {
        double s = 0;
        for (int k = 0; k < WINDOW; k++)
            s += x[i + k];
        y[i] = s / WINDOW;
    }
}
