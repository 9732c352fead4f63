/* Loops of which data say how long they run: Newton, bisection, power iteration, sweeps until nothing changes. */
#include <math.h>
#include <stdint.h>

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double newton_sqrt(double a, double tol, int max_it)
{
    double x = a;
    double err = 1e30;
    int it = 0;
    while (err > tol && it < max_it) {
        double next = 0.5 * (x + a / x);
        err = fabs(next - x);
        x = next;
        it++;
    }
    return x;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
float bisect(float lo, float hi, float tol)
{
    while (hi - lo > tol) {
        float mid = 0.5f * (lo + hi);
        if (mid * mid * mid - mid - 2.0f > 0.0f)
            hi = mid;
        else
            lo = mid;
    }
    return lo;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double newton_root(double x, int n)
{
    for (int i = 0; i < n; i++) {
        double f = x * x * x - 2.0 * x - 5.0;
        double d = f / (3.0 * x * x - 2.0);
        x -= d;
        if (fabs(d) < 1e-10)
            break;
    }
    return x;
}

// expect: numpy unchanged, jax refused TL401, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double heron(double a)
{
    double x = a > 1.0 ? a : 1.0;
    for (;;) {
        double y = 0.5 * (x + a / x);
        if (y >= x)
            return x;
        x = y;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int gcd(int a, int b)
{
    while (b != 0) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int collatz(long n)
{
    int steps = 0;
    while (n > 1) {
        if (n % 2 == 0)
            n = n / 2;
        else
            n = 3 * n + 1;
        steps++;
    }
    return steps;
}

// expect: numpy unchanged, jax hybrid, torch refused TL307, stablehlo hybrid, linalg hybrid, c hybrid
int bit_length(uint32_t n)
{
    int bits = 0;
    for (; n; n >>= 1)
        bits++;
    return bits;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int64_t next_power(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p <<= 1;
    return p;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int digit_sum(int n)
{
    int s = 0;
    do {
        s += n % 10;
        n /= 10;
    } while (n != 0);
    return s;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void digit_counts(int n, const int *x, int *count)
{
    for (int i = 0; i < n; i++) {
        int v = x[i], c = 0;
        while (v > 0) {
            v /= 10;
            c++;
        }
        count[i] = c;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void mandelbrot(int n, const double *cr, const double *ci, int *count, int max_it)
{
    for (int i = 0; i < n; i++) {
        double x = 0, y = 0;
        int k = 0;
        while (k < max_it && x * x + y * y < 4.0) {
            double t = x * x - y * y + cr[i];
            y = 2 * x * y + ci[i];
            x = t;
            k++;
        }
        count[i] = k;
    }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void power_iteration(int n, const double A[n][n], double v[n], double w[n], double tol, int max_it)
{
    double diff = 1.0;
    int it = 0;
    while (diff > tol && it < max_it) {
        double norm = 0.0;
        for (int i = 0; i < n; i++) {
            w[i] = 0.0;
            for (int j = 0; j < n; j++)
                w[i] += A[i][j] * v[j];
            norm += w[i] * w[i];
        }
        norm = sqrt(norm);
        diff = 0.0;
        for (int i = 0; i < n; i++) {
            double x = w[i] / norm;
            diff += fabs(x - v[i]);
            v[i] = x;
        }
        it++;
    }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
int jacobi(int n, double u[n], double next[n], const double f[n], double tol)
{
    int it = 0;
    double change;
    do {
        change = 0.0;
        for (int i = 1; i < n - 1; i++)
            next[i] = 0.25 * (u[i - 1] + u[i + 1] + f[i]);
        for (int i = 1; i < n - 1; i++) {
            change = fmax(change, fabs(next[i] - u[i]));
            u[i] = next[i];
        }
        it++;
    } while (change > tol && it < 500);
    return it;
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void heat(int n, int max_it, double u[n][n], double v[n][n], double eps)
{
    for (int it = 0; it < max_it; it++) {
        double delta = 0.0;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
                delta += fabs(v[i][j] - u[i][j]);
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                u[i][j] = v[i][j];
        if (delta < eps)
            break;
    }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void conjugate_gradient(int n, const double A[n][n], const double b[n], double x[n], double r[n], double p[n],
                        double q[n], double tol, int max_it)
{
    double rs = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        r[i] = b[i];
        p[i] = b[i];
        rs += b[i] * b[i];
    }
    for (int it = 0; it < max_it && rs > tol; it++) {
        double pq = 0.0;
        for (int i = 0; i < n; i++) {
            q[i] = 0.0;
            for (int j = 0; j < n; j++)
                q[i] += A[i][j] * p[j];
        }
        for (int i = 0; i < n; i++)
            pq += p[i] * q[i];
        double alpha = rs / pq;
        double next = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            next += r[i] * r[i];
        }
        double beta = next / rs;
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
        rs = next;
    }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c refused TL406
int relax_from_first(int n, int dist[n], const int weight[n])
{
    int changed = 1, rounds = 0;
    while (changed) {
        changed = 0;
        for (int i = 1; i < n; i++)
            if (dist[i] > weight[i] + dist[0]) {
                dist[i] = weight[i] + dist[0];
                changed = 1;
            }
        rounds++;
    }
    return rounds;
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void history(int n, double *x, double *res, double tol)
{
    double d = 1.0;
    int it = 0;
    while (d > tol && it < 100) {
        d = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] *= 0.5;
            d += x[i];
        }
        res[it++] = d;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void halve(int n, double *x)
{
    for (int len = n; len > 1; len /= 2)
        for (int i = 0; i < len / 2; i++)
            x[i] = x[i] + x[len / 2 + i];
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double root_or_nothing(double a, double tol)
{
    if (a < 0.0)
        return -1.0;
    double x = a;
    while (fabs(x * x - a) > tol)
        x = 0.5 * (x + a / x);
    return x;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c refused TL402
void insertion_sort(int n, double *x)
{
    for (int i = 1; i < n; i++) {
        double v = x[i];
        int j = i - 1;
        while (j >= 0 && x[j] > v) {
            x[j + 1] = x[j];
            j--;
        }
        x[j + 1] = v;
    }
}
