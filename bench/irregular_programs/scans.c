#include <math.h>
#include <stdint.h>

/* Scans that are no sums: the value last seen, the best so far and where it was, gains over a running minimum. */

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void forward_fill(int n, const double *x, double *y) {
    double last = 0.0;
    for (int i = 0; i < n; i++) {
        if (!isnan(x[i]))
            last = x[i];
        y[i] = last;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c refused TL402
void fill_valid(int n, const int *valid, const float *x, float *y) {
    int at = 0;
    for (int i = 0; i < n; ++i) {
        if (valid[i] != 0)
            at = i;
        y[i] = x[at];
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void fill_in_place(long n, int64_t *x) {
    for (long i = 1; i < n; i++)
        if (x[i] == 0)
            x[i] = x[i - 1];
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
double sample_and_hold(int n, double start, const double *trigger, const double *x, double *held) {
    double h = start;
    for (int t = 0; t < n; t++) {
        h = trigger[t] > 0.5 ? x[t] : h;
        held[t] = h;
    }
    return h;
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void backward_fill(int n, const double *x, const double *mark, double *y) {
    double next = -1.0;
    for (int i = n - 1; i >= 0; i--) {
        if (mark[i] > 0.0)
            next = x[i];
        y[i] = next;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c loop-free
double max_drawdown(int n, const double *price) {
    double peak = price[0], worst = 0.0;
    for (int i = 1; i < n; i++) {
        if (price[i] > peak)
            peak = price[i];
        double fall = peak - price[i];
        if (fall > worst)
            worst = fall;
    }
    return worst;
}

// expect: numpy scan, jax hybrid, torch unchanged, stablehlo hybrid, linalg scan, c loop-free
double best_gain(int n, const double *price) {
    double lowest = price[0];
    double best = 0.0;
    for (int i = 0; i < n; i++) {
        lowest = fmin(lowest, price[i]);
        best = fmax(best, price[i] - lowest);
    }
    return best;
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void drawdowns(int n, const double *equity, double *down) {
    double peak = equity[0];
    for (int i = 0; i < n; i++) {
        peak = equity[i] > peak ? equity[i] : peak;
        down[i] = (peak - equity[i]) / peak;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
long kadane(int n, const int *a) {
    long best = a[0], here = a[0];
    for (int i = 1; i < n; i++) {
        here = here > 0 ? here + a[i] : a[i];
        if (here > best)
            best = here;
    }
    return best;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double largest_sum(int n, const double *a) {
    double best = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        if (sum < 0)
            sum = 0;
        if (sum > best)
            best = sum;
    }
    return best;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void running_max_place(int n, const double *x, double *top, int *where) {
    double best = x[0];
    int at = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > best) {
            best = x[i];
            at = i;
        }
        top[i] = best;
        where[i] = at;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void saturating_counter(int n, const unsigned char *taken, int *state) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (taken[i]) {
            if (s < 3)
                s++;
        } else {
            if (s > 0)
                s--;
        }
        state[i] = s;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void reset_sum(int n, const double *x, const int *reset, double *out) {
    double acc = 0.0;
    for (int i = 0; i < n; i++) {
        if (reset[i])
            acc = 0.0;
        acc += x[i];
        out[i] = acc;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void run_lengths(int n, const int *bit, int *run) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        k = bit[i] ? k + 1 : 0;
        run[i] = k;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void fill_rows(int m, int n, const double A[m][n], double B[m][n]) {
    for (int i = 0; i < m; i++) {
        double last = 0.0;
        for (int j = 0; j < n; j++) {
            if (A[i][j] >= 0.0)
                last = A[i][j];
            B[i][j] = last;
        }
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void since_event(int n, const double *x, double limit, int *ago) {
    int k = n;
    for (int i = 0; i < n; i++) {
        k++;
        if (x[i] > limit)
            k = 0;
        ago[i] = k;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void equal_runs(int n, const int *x, int *length) {
    int r = 0;
    for (int i = 0; i < n; i++) {
        r = i > 0 && x[i] == x[i - 1] ? r + 1 : 1;
        length[i] = r;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void streak_of_gains(int n, const double *price, long *streak) {
    long s = 0;
    for (int i = 1; i < n; i++) {
        if (price[i] > price[i - 1])
            s++;
        else
            s = 0;
        streak[i] = s;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void until_zero(long n, const int64_t *x, int64_t *steps) {
    int64_t k = 0;
    for (long i = n - 1; i >= 0; i--) {
        k = x[i] == 0 ? 0 : k + 1;
        steps[i] = k;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
int longest_run(int n, const int *bit) {
    int run = 0, longest = 0;
    for (int i = 0; i < n; i++) {
        run = bit[i] ? run + 1 : 0;
        if (run > longest)
            longest = run;
    }
    return longest;
}
