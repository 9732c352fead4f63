// expect: loop-free
// F37: reads through an index array.
void gather(int n, int m, const int ix[n], const double q[m], double p[n]) {
    for (int i = 0; i < n; i++)
        p[i] = 2.0 * q[ix[i]];
}
