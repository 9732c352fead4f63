// expect: loop-free
// Reverses signs from the end, by a jump back while the counter is above zero.
void jump_back_countdown(int n, short *a) {
loop:
    if (n > 0) {
        --n;
        a[n] = (short)-a[n];
        goto loop;
    }
}
