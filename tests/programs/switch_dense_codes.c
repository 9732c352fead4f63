// expect: loop-free
// An operation for each element, chosen by a code.
void switch_dense_codes(int n, const unsigned char *op, const int *a, int *b) {
    for (int i = 0; i < n; i++) {
        switch (op[i]) {
        case 0: b[i] = a[i]; break;
        case 1: b[i] = -a[i]; break;
        case 2: b[i] = a[i] * a[i]; break;
        case 3: b[i] = a[i] > 0; break;
        default: b[i] = 0; break;
        }
    }
}
