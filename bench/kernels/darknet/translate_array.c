// translate_array: a'(i) = a(i) + s.
void translate_array(int *a, int n, int s) {
    int i;
    for (i = 0; i < n; ++i) {
        a[i] += s;
    }
}
