// expect: loop-free
// A while loop that counts down and walks.
void countdown(int n, const int *in, int *out) {
    while (n-- > 0)
        *out++ = -*in++;
}
