// expect: refused
// A function whose body is elsewhere.
double unknown_function(double x);

void unknown_call(int n, double *a) {
    for (int i = 0; i < n; i++)
        a[i] = unknown_function(a[i]);
}
