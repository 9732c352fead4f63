// pluseq: a'(i) = a(i) + b(i).
void pluseq(int *a, int *b, int n) {
    for (int i = 0; i < n; ++i) {
        a[i] += b[i];
    }
}
