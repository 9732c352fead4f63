// expect: loop-free
// The middle element tells no extent, the loop does.
double from_the_middle(int n, int k, const double *x) {
    double middle = x[n / 2] - x[k], s = 0.0;
    for (int i = 0; i < n; i++)
        s += x[i] - middle;
    return s;
}
