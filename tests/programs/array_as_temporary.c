// expect: loop-free
// F17: an array cell serves as the temporary and keeps the last row.
void array_as_temporary(int n, int m, double P[n][m], double w[m], double u[m], double Q[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            u[j] = P[i][j] * w[j];
            Q[i][j] = u[j] + u[j] * u[j];
        }
}
