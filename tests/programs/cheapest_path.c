// expect: hybrid
// The cheapest way through a grid, from above or from the left; the first cell costs nothing to reach.
void cheapest_path(int n, int m, const int c[n][m], int d[n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int best = 1000000;
      if (i > 0 && d[i - 1][j] < best)
        best = d[i - 1][j];
      if (j > 0 && d[i][j - 1] < best)
        best = d[i][j - 1];
      if (i == 0 && j == 0)
        best = 0;
      d[i][j] = best + c[i][j];
    }
}
