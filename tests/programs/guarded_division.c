// expect: loop-free
// F20: the guard protects a division by zero.
void guarded_division(int n, const int *a, const int *b, int *o) {
    for (int i = 0; i < n; i++)
        o[i] = b[i] != 0 ? a[i] / b[i] : 0;
}
