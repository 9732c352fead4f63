// expect: loop-free
// Weights by class, with the default between the cases and cases that share a body.
long switch_default_in_the_middle(int n, const signed char *a) {
    long w = 0;
    for (int i = 0; i < n; i++) {
        switch (a[i]) {
        case 1:
        case 3:
            w += 10;
            break;
        default:
            w += 1;
            break;
        case 0:
            break;
        case 2:
            w -= 5;
            break;
        }
    }
    return w;
}
