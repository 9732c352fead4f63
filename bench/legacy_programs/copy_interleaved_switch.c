// expect: refused
// A copy whose switch jumps into the loop.
void copy_interleaved_switch(int n, float *x, const float *y) {
    int k = (n + 3) / 4;
    switch (n % 4) {
        case 0: do {
            *x++ = *y++;
            case 3: *x++ = *y++;
            case 2: *x++ = *y++;
            case 1: *x++ = *y++;
        } while (--k > 0);
    }
}
