// expect: loop-free
// Positive elements counted by `do`; `continue` goes to the condition.
int continue_in_do(int n, const float *a) {
    int i = 0, count = 0;
    if (n <= 0)
        return 0;
    do {
        if (a[i] <= 0.0f)
            continue;
        count++;
    } while (++i < n);
    return count;
}
