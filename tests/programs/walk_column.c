// expect: loop-free
// Sum of one column of a matrix, by a pointer that steps a row.
float walk_column(int n, int ld, const float *a, int col) {
    float s = 0.0f;
    const float *p = a + col;
    for (int i = 0; i < n; i++, p += ld)
        s += *p;
    return s;
}
