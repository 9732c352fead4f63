// expect: hybrid
// F14: a recurrence that is not linear along rows, parallel across columns.
void squaring_recurrence(int n, int m, double P[n][m], double Q[n][m]) {
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            P[i][j] = P[i - 1][j] * P[i - 1][j] - Q[i][j];
}
