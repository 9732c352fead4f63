// expect: loop-free
// Reversed copy by a `while` over two counters that move apart.
void while_two_counters(int n, const short *src, short *dst) {
    int up = 0, down = n;
    while (down > 0) {
        --down;
        dst[up] = src[down];
        ++up;
    }
}
