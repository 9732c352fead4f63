// expect: loop-free
// An axpy unrolled by five.
void suite_axpy_unrolled_by_five(int n, float alpha, float *a, const float *b) {
    for (int i = 0; i < n - 4; i += 5) {
        a[i] += alpha * b[i];
        a[i + 1] += alpha * b[i + 1];
        a[i + 2] += alpha * b[i + 2];
        a[i + 3] += alpha * b[i + 3];
        a[i + 4] += alpha * b[i + 4];
    }
}
