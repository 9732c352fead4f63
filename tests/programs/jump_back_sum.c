// expect: loop-free
// Sum by a labelled statement and a jump back, tested at the top.
double jump_back_sum(int n, const double *a) {
    double s = 0.0;
    int i = 0;
top:
    if (i >= n)
        goto end;
    s += a[i];
    i++;
    goto top;
end:
    return s;
}
