// expect: hybrid
// A sweep in place: neighbours on the left are new, those on the right are not written yet, beyond the ends is nothing.
void sweep_with_borders(int n, int m, int steps, double u[n][m], const double f[n][m])
{
  for (int s = 0; s < steps; s++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        double left = j > 0 ? u[i][j - 1] : 0.0, right = j < m - 1 ? u[i][j + 1] : 0.0;
        double above = i > 0 ? u[i - 1][j] : 0.0, below = i < n - 1 ? u[i + 1][j] : 0.0;
        u[i][j] = 0.25 * (left + right + above + below - f[i][j]);
      }
}
