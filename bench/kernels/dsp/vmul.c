// vmul: c'(i) = a(i) * b(i).
void vmul(int *a, int *b, int *c, int n) {
    for (int i = 0; i < n; ++i) {
        c[i] = a[i] * b[i];
    }
}
