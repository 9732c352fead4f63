// expect: loop-free
// Four scales in turn, by the index modulo four.
void switch_by_index(int n, float *a) {
    for (int i = 0; i < 4 * n; i++) {
        switch (i % 4) {
        case 0: a[i] *= 2.0f; break;
        case 1: a[i] += 1.0f; break;
        case 2: a[i] = -a[i]; break;
        case 3: a[i] = 0.0f; break;
        }
    }
}
