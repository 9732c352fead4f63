// expect: hybrid
// F35: one array under two names, three cells apart, written ahead of the reads.
void overlap_at_distance(int n, double u[n + 3], const double *q) {
    for (int i = 0; i < n; i++)
        u[i + 3] = u[i] * q[i];
}
