// expect: hybrid
// Every third cell of the diagonal: a mask that has no array operations yet.
void every_third_on_the_diagonal(int n, double s, double u[n][n]) {
    for (int i = 0; i < n; i += 3)
        u[i][i] += s;
}
