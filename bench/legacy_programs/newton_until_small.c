// expect: refused
// Newton iteration until the error is small.
double newton_until_small(double x) {
    double y = x;
    while (y * y - x > 1e-9)
        y = 0.5 * (y + x / y);
    return y;
}
