// expect: loop-free
// Largest element by comparison, the first one peeled.
double max_by_if(int n, double a[n]) {
    double m = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] > m)
            m = a[i];
    return m;
}
