// expect: refused
// Every access must happen.
void volatile_cell(int n, volatile int *port, int *a) {
    for (int i = 0; i < n; i++)
        a[i] = *port;
}
