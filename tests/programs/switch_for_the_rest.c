// expect: loop-free
// Sum in blocks of four, and the rest by cases that fall through.
long switch_for_the_rest(int n, const int *a) {
    long s = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4)
        s += (long)a[i] + a[i + 1] + a[i + 2] + a[i + 3];
    switch (n - i) {
    case 3: s += a[i + 2]; /* fall through */
    case 2: s += a[i + 1]; /* fall through */
    case 1: s += a[i];
    }
    return s;
}
