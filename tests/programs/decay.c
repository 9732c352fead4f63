// expect: loop-free
// A number is scaled once for every second cell: a power of the half of a size.
float decay(int n) {
    float q = 1.0f;
    for (int i = 0; i < n / 2; i++)
        q *= 0.99f;
    return q;
}
