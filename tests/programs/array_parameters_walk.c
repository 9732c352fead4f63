// expect: loop-free
// F11: parameters that are declared as arrays walk like the pointers that they are.
void array_parameters_walk(int n, double a[n], const double b[]) {
    while (n--)
        *a++ = 2.0 * *b++;
}
