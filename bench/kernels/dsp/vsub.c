// vsub: c'(i) = a(i) - b(i).
void vsub(int *a, int *b, int *c, int n) {
    for (int i = 0; i < n; ++i) {
        c[i] = a[i] - b[i];
    }
}
