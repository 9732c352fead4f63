// expect: hybrid
// Sums of decimal digits, each by a `do` that divides.
void do_digit_sum(int n, const unsigned *v, unsigned *s) {
    for (int i = 0; i < n; i++) {
        unsigned x = v[i], t = 0;
        do {
            t += x % 10u;
            x /= 10u;
        } while (x != 0);
        s[i] = t;
    }
}
