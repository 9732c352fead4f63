// expect: refused
// F33: the place of a store depends on the data.
int compaction(int n, const double *p, double *w) {
    int k = 0;
    for (int i = 0; i < n; i++)
        if (p[i] > 0.0)
            w[k++] = 2.0 * p[i];
    return k;
}
