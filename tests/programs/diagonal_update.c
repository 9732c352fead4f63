// expect: loop-free
// F24: only the diagonal changes.
void diagonal_update(int n, double P[n][n], double Q[n][n]) {
    for (int i = 0; i < n; i++)
        P[i][i] = Q[i][i] - P[i][i];
}
