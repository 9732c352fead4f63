// expect: loop-free
// One of three scales by mode, with a tail that two of them share.
void goto_common_tail(int n, int mode, double *x) {
    double s = 1.0;
    if (mode == 0)
        goto apply;
    if (mode == 1) {
        s = 2.0;
        goto apply;
    }
    s = 0.5;
apply:
    for (int i = 0; i < n; i++)
        x[i] *= s;
}
