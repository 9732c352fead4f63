// expect: loop-free
// Span between the first and the last positive place, by a flag for the first.
int flag_first_seen(int n, const float *a) {
    int seen = 0, first = 0, last = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] > 0.0f) {
            if (!seen) {
                seen = 1;
                first = i;
            }
            last = i;
        }
    }
    return seen ? last - first + 1 : 0;
}
