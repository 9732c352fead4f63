// expect: loop-free
// Masks, shifts and complements.
void bit_operations(int n, const unsigned *a, unsigned *o) {
    for (int i = 0; i < n; i++)
        o[i] = ((a[i] & 0xffu) << 8 | a[i] >> 24) ^ ~a[i];
}
