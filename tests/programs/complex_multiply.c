// expect: loop-free
// Complex numbers as interleaved pairs.
void complex_multiply(int n, double a[n][2], double b[n][2], double c[n][2]) {
    for (int i = 0; i < n; i++) {
        c[i][0] = a[i][0] * b[i][0] - a[i][1] * b[i][1];
        c[i][1] = a[i][0] * b[i][1] + a[i][1] * b[i][0];
    }
}
