// diveq_sca: a'(i) = tdiv(a(i), b), b nonzero.
void diveq_sca(int *a, int b, int n) {
    for (int i = 0; i < n; ++i) {
        a[i] /= b;
    }
}
