// expect: loop-free
// Both arms of a choice store the same number, beside others in which they differ.
int same_store_in_both_arms(int n, const int x[n])
{
    int seen = 0, sign = 5;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) {
            sign = -1;
            seen = 1;
        } else {
            sign = 2;
            seen = 1;
        }
    }
    return seen ? sign : 7;
}
