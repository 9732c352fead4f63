// expect: loop-free
// Averages pairs, then handles the odd one out by the variable of the loop.
void used_after_the_loop(int n, float *a) {
    int i;
    for (i = 0; i + 1 < n; i += 2) {
        float m = 0.5f * (a[i] + a[i + 1]);
        a[i] = a[i + 1] = m;
    }
    if (i < n)
        a[i] = 0.0f;
}
