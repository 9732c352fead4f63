// expect: loop-free
// Compares two texts as `memcmp` does, then by length.
int compare_texts(int n, int m, const unsigned char *a, const unsigned char *b) {
    for (int i = 0; i < n && i < m; i++) {
        if (a[i] < b[i])
            return -1;
        if (a[i] > b[i])
            return 1;
    }
    if (n != m)
        return n < m ? -1 : 1;
    return 0;
}
