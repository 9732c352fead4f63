// expect: loop-free
// References to plain arrays, of a length that the template knows.
template <int N> void scaled_rows(double (&a)[N][N], const double (&s)[N]) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] *= s[i];
        }
    }
}
template void scaled_rows<4>(double (&)[4][4], const double (&)[4]);
