// muleq: a'(i) = a(i) * b(i).
void muleq(int *a, int *b, int n) {
    for (int i = 0; i < n; ++i) {
        a[i] *= b[i];
    }
}
