// expect: loop-free
// F05: the lower triangle from the upper one of the same array.
void triangular_from_transpose(int n, double P[n][n], double Q[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            P[i][j] = Q[i][j] * P[j][i] - 1.0;
}
