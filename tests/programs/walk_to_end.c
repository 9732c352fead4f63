// expect: loop-free
// Sum of squares between a pointer and its end.
double walk_to_end(int n, const double *a) {
    const double *p = a, *end = a + n;
    double s = 0.0;
    while (p < end) {
        s += *p * *p;
        p++;
    }
    return s;
}
