// expect: loop-free
// F05: every cell reads the middle one, which an iteration on the way changes.
void middle_element(int n, float *a, const float *b) {
    for (int i = 0; i < n; i++)
        a[i] = a[n / 2] + b[i];
}
