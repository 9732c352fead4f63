// What C has, in small functions: read literally, run, and compared with the compiled functions.
// Every function may be called with any of the arguments that the test draws; some of them have no meaning there.
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE };
static const int table[2][3] = {{1, 2, 3}, {4, 5}};
const double half = 0.5;
int counter;
double history[8];

int fall_through(int n) {
    int r = 0;
    switch (n & 3) {
    case 0: r += 1;
    case 1: r += 10; break;
    default: r += 100;
    case 2: r += 1000;
    }
    return r;
}
int switch_in_loop(int n, const int *a) {
    int r = 0;
    for (int i = 0; i < n; i++) {
        switch (a[i]) {
        case 1: continue;
        case 2: r += 2; break;
        case 3: { r += 3; if (r > 9) break; r++; break; }
        case -4: return r;
        }
        r++;
    }
    return r;
}
void duff(int n, int *to, const int *from) {
    int rounds = (n + 3) / 4;
    if (n <= 0) return;
    switch (n % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--rounds > 0);
    }
}
int goto_loop(int n) {
    int s = 0, i = 0;
again:
    if (i >= n) goto done;
    s += i * i;
    i++;
    goto again;
done:
    return s;
}
int two_entries(int n) { // irreducible
    int s = 0;
    if (n > 2) goto inside;
    while (s < 20) {
        s += 3;
    inside:
        s += n + 1;
        if (s > 40 || n < 0) break;
    }
    return s;
}
int do_with_continue(int n) {
    int s = 0;
    do {
        if (n & 1) continue;
        s += n;
    } while (n-- > 0);
    return s;
}
int while_break(int n, const int *a) {
    int i = 0;
    while (1) {
        if (i == n || a[i] < 0) break;
        i++;
    }
    return i;
}
int for_parts(int n) {
    int i = 0, s = 0;
    for (;;) { if (i++ >= n) break; s += i; }
    for (i = 0; i < n;) s += i++;
    for (; i-- > 0; s ^= i) if (i == 3) continue;
    return s;
}
int short_circuit(int n, const int *a) { return (n > 0 && a[0] > 1) + 2 * (n < 0 || !a[1]) + 4 * !(n && a[2]); }
int nested_choice(int n, int m) { return n > m ? n > 0 ? 1 : 2 : m > 0 ? n < 0 ? 3 : 4 : n ? 5 : 6; }
int comma(int n) { int a = (n++, n * 2), b; return b = a, b + n; }
int assigned_twice(int n) { int a, b; a = b = n; a += b -= 2; return a * 10 + b; }
int increments(int n) { int a = n++, b = ++n, c = n--, d = --n; return a + 10 * b + 100 * c + 1000 * d; }
int chars(signed char c, unsigned char u, short s) { c += 100; u += 200; s *= 300; c++; --u; return c + u + s; }
unsigned char wrap_store(int n, unsigned char *a) { a[0] = (unsigned char)(n * 77); a[0] <<= 1; return a[0]--; }
unsigned unsigned_wrap(unsigned n, int m) { return n - 7 + m * 3u; }
int mixed_signs(int n, unsigned m) { return (n < m) + 2 * (n - 1 > m) + 4 * ((long)n < m) + 8 * (-1 < 1u); }
long widths(int n, short s, unsigned char u, long l) { return n * l + s - u + (n > s) + (short)(n * 70001); }
int shifts(int n, unsigned m, long l) { return (n << 3) + (int)(m >> 5) + (n >> 1) + (1 << (l & 7)); }
unsigned long long_shift(unsigned long m, int n) { return (m << (n & 63)) ^ (m >> 3); }
int divide(int n, int m) { return n / m * 100 + n % m; }
unsigned udivide(unsigned n, unsigned m) { return n / m * 3 + n % m; }
int bits(int n, int m) { return (n & m) | (n ^ ~m); }
int negate(int n) { return -n + +n + !n + ~n; }
unsigned negate_unsigned(unsigned n) { return -n; }
_Bool truths(int n, double x) { _Bool b = n, c = x; b = b + c; c = !b; return b && !c; }
int bool_steps(int n) { _Bool b = n > 2; b++; b += n; return b + (int)sizeof b; }
int to_int(double x) { return (int)x + (int)(x * 1.5f); }
unsigned char to_byte(double x) { return (unsigned char)x; }
double from_ints(int n, unsigned m, long l, unsigned long k) { return n + m * 0.5 + l - (float)k; }
float singles(float x, float y) { return x * y + x / y - (x - y) * 0.1f; }
float mixed_floats(float x, double y, int n) { float z = x + y; z *= y; z += n; return z; }
int float_compare(double x, double y) { return (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * !(x > y); }
double negative_zero(double x) { return -x + 0.0 * x; }
int enums(int n) { enum colour c = GREEN; return n == BLUE ? c : RED + n; }
int sizes(int n) { int a[3]; return (int)(sizeof a + sizeof(double) + sizeof n); }
double mathematics(double x, double y) { return sqrt(fabs(x)) + pow(fabs(y), 1.5) + floor(x) - fmax(x, y) + copysign(1, y); }
int classified(double x) { return !!isnan(x) + 2 * !!isinf(x) + 4 * !!isfinite(x); }
int absolute(int n) { return abs(n); }

double walk(int n, const double *p) {
    const double *end = p + n;
    double s = 0;
    while (p < end) s += *p++;
    return s;
}
double walk_back(int n, const double *p) {
    double s = 0;
    for (const double *q = p + n; q-- != p;) s = s * 0.5 + *q;
    return s;
}
long distance(int n, double *a) { double *p = &a[n], *q = a + 1; return p - q + (p > q) + (&p[0] == q); }
void ping_pong(int n, double *a, double *b) {
    for (int t = 0; t < 5; t++) {
        for (int i = 0; i < n; i++) b[i] = a[i] * 2 + i;
        double *swap = a; a = b; b = swap;
    }
}
double rows(int n, int m, double a[n][m]) {
    double s = 0, (*p)[m] = a;
    for (int i = 0; i < n; i++, p++)
        for (int j = 0; j < m; j++) s = s * 0.9 + (*p)[j] + a[i][j];
    return s;
}
double cube(int n, int m, double a[][n][m]) { return a[1][n - 1][m - 1] + (*a)[0][1] + *(*(*(a + 1) + 1) + 0) + a[0][0][0]; }
void fixed(double a[3][4]) { double(*r)[4] = &a[1]; r[1][2] = 7; (*r)[0] = 8; a[0][3] = sizeof a[0]; }
int local_arrays(int n) {
    int a[4] = {1, n}, b[2][3] = {{1, 2}, {3}}, c[n + 3];
    for (int i = 0; i < n + 3; i++) c[i] = i;
    return a[0] + 10 * a[1] + 100 * a[3] + b[1][0] + b[1][2] + c[n];
}
int fresh_each_time(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { int t[2]; int u; t[i & 1] = i; u = t[i & 1]; s += u; }
    return s;
}
double heap(int n) {
    double *t = malloc(n * sizeof *t), s = 0;
    int *k = (int *)calloc(n + 1, sizeof(int));
    if (!t || k == NULL) return -1;
    for (int i = 0; i < n; i++) t[i] = i * 0.5 + k[i];
    for (int i = 0; i < n; i++) s += t[i];
    free(t);
    free(k);
    return s;
}
int moved_blocks(int n, int *a) {
    int b[8];
    memcpy(b, a, 4 * sizeof(int));
    memset(a, 0, 3 * sizeof *a);
    return b[0] + b[3] + a[0] + n;
}
int from_table(int n) { return table[n & 1][(n >> 1) % 3]; }
int static_table(int n) { static const short of[] = {3, 1, 4, 1, 5}; return of[n % 5]; }
double static_kept(int n) { static float half = 0.5f; static int of[2][2] = {{3, 1}, {4, 1}}; return half * (of)[n & 1][1] + sizeof of; }
double globals(int n, double x) { counter += n; history[n & 7] = x + history[0] * half; return history[n & 7] + counter; }
int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
static double sum_of(int n, const double *a, int step) { double s = 0; for (int i = 0; i < n; i += step) s += a[i]; return s; }
double calls(int n, double a[]) { return sum_of(n, a, 1) - sum_of(n - 1, a + 1, 2); }
static const double *greatest(int n, const double *a) { const double *m = a; for (int i = 1; i < n; i++) if (a[i] > *m) m = a + i; return m; }
double maximum(int n, const double *a) { return *greatest(n, a); }
void write_through(int n, int *a) { int *p = n > 1 ? a + 1 : a; *p += 5; p[1] = (*p)--; 2[a] = n; }
int early_return(int n, const int *a) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) if (a[i] == a[j]) return i * 10 + j; return -1; }
int maybe_unset(int n) { int t; if (n > 2) t = n; return n > 2 ? t : 0; }
int unset(int n) { int t; if (n > 2) t = n; return t + 1; }
int falls_off(int n) { if (n > 1) return n; }
int dead_code(int n) { return n; n++; while (n) n--; return 7; }
int empty_loops(int n) { while (n > 10) n -= 3; do ; while (n++ < 4); for (;n < 0;); return n; }
int compound_index(int n, int *a) { int i = 0; a[i++] += n; a[i] |= a[i + 1] ^= 3; return i; }
int void_calls(int n, int *a) { n > 1 ? write_through(n, a) : (void)0; (void)n; return a[1]; }
int nested_loops(int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = i; j-- > 0;) { if (j == 2) continue; if (s > 50) goto out; s += i * j; } out: return s; }
int overflows(int n) { int m = 2147483647; return m - 3 + n; }
int array_walk(int n, int a[]) { int s = 0; while (n-- > 0) { s += *a; a++; a += 1; } return s; }
int into_loop(int n) { int s = 0; goto into; while (n > 0) { into: s += n--; } return s; do s--; while (s > n); return s; }
int dead_then_live(int n) { int s = n; goto there; for (s = 3; s < n; s++) { there: if (s > 9) return s; s += 2; } do { s++; } while (s < 5); return s; }
int leading_zeros(int n, const unsigned a[]) { unsigned long l = a[0]; return __builtin_clz(a[0] | 1) * 100 + __builtin_clzl(l << n % 31 | 2) + __builtin_expect(n > 2, 1); }
int same_type(int n, int *a, const int *b) { memcpy(a, b, 3 * sizeof(*a) + 0 * (a - b)); return a[0] + (int)((a - b) * 0) + n; }
