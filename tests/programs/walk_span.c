// expect: loop-free
// Length of a text, by the distance that a pointer walked before it met a zero or the end.
int walk_span(int n, const unsigned char *s) {
    const unsigned char *p = s, *end = s + n;
    while (p < end && *p != 0)
        ++p;
    return (int)(p - s);
}
