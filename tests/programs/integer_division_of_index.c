// expect: loop-free
// F37: arithmetic on the index.
void integer_division_of_index(int n, double p[3 * n], const double *r) {
    for (int i = 0; i < 3 * n; i++)
        p[i] = r[i / 3] * (i % 2 == 0 ? 1.0 : -1.0);
}
