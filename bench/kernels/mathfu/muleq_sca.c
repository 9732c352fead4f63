// muleq_sca: a'(i) = a(i) * b.
void muleq_sca(int *a, int b, int n) {
    for (int i = 0; i < n; ++i) {
        a[i] *= b;
    }
}
