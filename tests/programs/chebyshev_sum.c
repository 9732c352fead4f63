// expect: hybrid
// A recurrence of two terms whose factor is assigned inside of another assignment.
float chebyshev_sum(const float *c, int m, float a, float b, float x) {
    float d = 0.0, e = 0.0, saved, y, twice;
    twice = 2.0 * (y = (2.0 * x - a - b) / (b - a));
    for (int j = m - 1; j >= 1; j--) {
        saved = d;
        d = twice * d - e + c[j];
        e = saved;
    }
    return y * d - e + 0.5 * c[0];
}
