// expect: loop-free
// Copies a field up to its terminator, and pads the rest with blanks.
void copy_padded(int n, const unsigned char *src, unsigned char *dst) {
    int i, k;
    for (i = 0; i < n; i++) {
        if (src[i] == 0)
            break;
        dst[i] = src[i];
    }
    for (k = i; k < n; k++)
        dst[k] = ' ';
}
