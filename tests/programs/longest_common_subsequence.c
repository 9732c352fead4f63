// expect: hybrid
// The table of dynamic programming, with its first row and column filled in the loops.
void longest_common_subsequence(int n, int m, int L[n + 1][m + 1], const int *a, const int *b)
{
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0)
        L[i][j] = 0;
      else if (a[i - 1] == b[j - 1])
        L[i][j] = L[i - 1][j - 1] + 1;
      else
        L[i][j] = L[i - 1][j] > L[i][j - 1] ? L[i - 1][j] : L[i][j - 1];
    }
}
