// expect: loop-free
// Three times the sum, by a pointer that walks back from the end.
long walk_backwards(int n, const int *a) {
    const int *p = a + n;
    long value = 0;
    while (p != a)
        value += 3L * *--p;
    return value;
}
