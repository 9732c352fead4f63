// expect: refused
// Bit-reversed copy by a table of places.
void bit_reversal(const int *order, const float *x, float *y, int n) {
    for (int i = 0; i < n; i++)
        y[order[i]] = x[i];
}
