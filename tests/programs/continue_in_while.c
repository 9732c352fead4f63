// expect: loop-free
// Masked sum by `while`, whose counter moves before the `continue`.
double continue_in_while(int n, const unsigned char *mask, const double *v) {
    double s = 0.0;
    int i = -1;
    while (++i < n) {
        if (!mask[i])
            continue;
        s += v[i];
    }
    return s;
}
