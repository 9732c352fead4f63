// expect: loop-free
// Divides vectors only where no divisor is zero, as a flag tells.
int flag_guards_loop(int n, double *a, const double *b) {
    int ok = 1;
    for (int i = 0; i < n; i++)
        if (b[i] == 0.0)
            ok = 0;
    if (ok) {
        for (int i = 0; i < n; i++)
            a[i] /= b[i];
    }
    return ok;
}
