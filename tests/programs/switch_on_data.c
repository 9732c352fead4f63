// expect: loop-free
// F21: a switch with a default.
void switch_on_data(int n, const int *op, const int *a, const int *b, int *o) {
    for (int i = 0; i < n; i++) {
        switch (op[i]) {
        case 0:
            o[i] = a[i] + b[i];
            break;
        case 1:
            o[i] = a[i] - b[i];
            break;
        default:
            o[i] = a[i];
            break;
        }
    }
}
