// expect: loop-free
// F02: stride and offset are known at run time only; an offset below the stride makes rows.
void symbolic_stride(int m, int s, int h, double *p, const double *q) {
    for (int i = 0; i < m; i++)
        p[s * i] = 2.0 * q[i] + p[s * i + h];
}
