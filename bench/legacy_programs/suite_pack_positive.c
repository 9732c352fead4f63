// expect: refused
// Packing: the place of each store is data.
int suite_pack_positive(int n, float *a, const float *b) {
    int j = 0;
    for (int i = 0; i < n; i++)
    if (b[i] > 0.0f) a[j++] = b[i];
    return j;
}
