// expect: loop-free
// FORTRAN's loop of old, that runs at least once, by a conditional jump back.
void jump_back_once_run(int n, float *a, float f) {
    int i = 0;
L10:
    a[i] = f * a[i];
    i = i + 1;
    if (i < n)
        goto L10;
}
