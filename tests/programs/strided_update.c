// expect: loop-free
// Every other cell grows by a multiple of every third one of another array.
void strided_update(int n, double s, double y[2 * n], const double x[3 * n]) {
    for (int i = 0; i < n; i++)
        y[2 * i] += s * x[3 * i];
}
