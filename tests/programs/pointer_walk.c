// expect: loop-free
// F07: walking pointers.
void pointer_walk(int n, const double *a, const double *b, double *c) {
    const double *pa = a, *pb = b;
    double *pc = c;
    for (int i = 0; i < n; i++)
        *pc++ = *pa++ + 2.0 * *pb++;
}
