// expect: scan
// F14: a recurrence along rows with the column loop outermost.
void interchange_recurrence(int n, int m, double P[n][m], double Q[n][m], double r[m]) {
    for (int j = 1; j < m; j++)
        for (int i = 0; i < n; i++)
            P[i][j] = P[i][j - 1] + Q[i][j] * r[j];
}
