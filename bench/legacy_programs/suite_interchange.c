// expect: scan
// A recurrence along columns inside of a loop over rows.
void suite_interchange(int n, double aa[n][n], const double bb[n][n]) {
    for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
    aa[j][i] = aa[j - 1][i] + bb[j][i];
}
