// expect: loop-free
// F23: the second half reads what the first half has written.
void reverse_in_place_split(int n, double *p, const double *q) {
    for (int i = 0; i < n; i++)
        p[i] = 2.0 * p[n - 1 - i] + q[i];
}
