// expect: loop-free
// Copy by two walking pointers and a count that runs out.
void walk_copy(int n, float *p, const float *q) {
    while (n-- > 0)
        *p++ = *q++;
}
