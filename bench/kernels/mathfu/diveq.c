// diveq: a'(i) = tdiv(a(i), b(i)), b nonzero.
void diveq(int *a, int *b, int n) {
    for (int i = 0; i < n; ++i) {
        a[i] /= b[i];
    }
}
