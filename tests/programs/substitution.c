// expect: hybrid
// F06: a triangular system solved row by row.
void substitution(int n, double *p, const double *q, double Q[n][n]) {
    for (int i = 0; i < n; i++) {
        double s = q[i];
        for (int j = 0; j < i; j++)
            s -= Q[i][j] * p[j];
        p[i] = 0.5 * s;
    }
}
