// expect: refused
// A histogram: the place of each update is data.
void histogram_bytes(const unsigned char *x, int *h, int n) {
    for (int i = 0; i < n; i++)
        h[x[i]]++;
}
