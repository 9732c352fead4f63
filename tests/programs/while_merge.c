// expect: refused
// Merges two sorted vectors; each step moves one of two counters.
void while_merge(int n, int m, const int *a, const int *b, int *out) {
    int i = 0, j = 0;
    while (i < n && j < m) {
        if (b[j] < a[i]) {
            out[i + j] = b[j];
            j++;
        } else {
            out[i + j] = a[i];
            i++;
        }
    }
    while (i < n) {
        out[i + j] = a[i];
        i++;
    }
    while (j < m) {
        out[i + j] = b[j];
        j++;
    }
}
