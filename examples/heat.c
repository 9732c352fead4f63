/* The heat equation in a plate, in explicit steps of time; the rim keeps its temperature. */
void heat(int steps, int m, int n, double r, double u[m][n], double next[m][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < m - 1; i++)
            for (int j = 1; j < n - 1; j++)
                next[i][j] = u[i][j] + r * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j]);
        for (int i = 1; i < m - 1; i++)
            for (int j = 1; j < n - 1; j++)
                u[i][j] = next[i][j];
    }
}
