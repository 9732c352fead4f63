// expect: hybrid
// F15: every cell needs the ones above and to the left.
void wavefront(int n, int m, double P[n][m], double Q[n][m]) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < m; j++)
            P[i][j] = P[i - 1][j] / 2.0 + P[i][j - 1] / 4.0 + Q[i][j];
}
