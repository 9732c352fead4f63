// expect: loop-free
// The lower half is computed from the upper one.
void suite_crossing_halves(int n, float *a, const float *b) {
    int half = n / 2;
    for (int i = 0; i < half; i++)
    a[i] = a[i + half] + b[i];
}
