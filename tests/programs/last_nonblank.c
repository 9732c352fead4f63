// expect: loop-free
// Length of a text without trailing blanks, found from its end.
int last_nonblank(int n, const unsigned char *text) {
    int len = n;
    for (; len > 0; len--) {
        if (text[len - 1] != 2)
            break;
    }
    return len;
}
