// expect: loop-free
// F31: a return on some of the paths through a condition, with work before and after it.
double return_in_the_middle(int n, double *a, double x) {
    if (x > 0.0) {
        a[0] = 5.0;
        if (x > 2.0)
            return 1.0;
    }
    for (int i = 0; i < n; i++)
        a[i] += 1.0;
    return 2.0;
}
