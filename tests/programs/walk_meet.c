// expect: loop-free
// Reverses a vector in place by two pointers that meet.
void walk_meet(int n, double *a) {
    if (n < 2)
        return;
    double *lo = a, *hi = a + n - 1;
    while (lo < hi) {
        double t = *lo;
        *lo++ = *hi;
        *hi-- = t;
    }
}
