// expect: loop-free
// F07: a second index that grows by two.
void secondary_index(int n, double p[n], double q[2 * n + 5], double r[n]) {
    int k = 3;
    for (int i = 0; i < n; i++) {
        k += 2;
        p[i] = q[k] - r[i];
    }
}
