/* Conditional counters: what some iterations count is a place, an index or a number of its own. */
#include <stddef.h>
#include <stdint.h>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int count_above(int n, const double *x, double t)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > t)
            k++;
    return k;
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void ranks(int n, const float *x, int *rank)
{
    int seen = 0;
    for (int i = 0; i < n; ++i) {
        rank[i] = seen;
        if (x[i] >= 0.0f)
            ++seen;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void segment_numbers(int n, const int *key, int *segment)
{
    int id = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && key[i] != key[i - 1])
            id++;
        segment[i] = id;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
int compress_positive(int n, const double *restrict x, double *restrict out)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0.0)
            out[k++] = x[i];
    return k;
}

// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo hybrid, linalg hybrid, c loop-free
size_t where_nonzero(const int32_t *restrict a, size_t n, int32_t *restrict places)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        if (a[i] != 0) {
            places[found] = (int32_t)i;
            found++;
        }
    }
    return found;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void pack_by_mask(int n, const double *restrict a, const unsigned char *restrict keep, double *restrict out, int *count)
{
    int j = 0;
    for (int i = 0; i < n; i++) {
        if (!keep[i])
            continue;
        out[j] = 2.0 * a[i];
        j++;
    }
    *count = j;
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void unpack(int n, const double *restrict x, const double *restrict packed, double *restrict out)
{
    int j = -1;
    for (int i = 0; i < n; i++)
        if (x[i] > 0.0) {
            j++;
            out[i] = packed[j];
        }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void expand_with_zeros(int n, const int *restrict mask, const float *restrict v, float *restrict dense)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        dense[i] = mask[i] ? v[k++] : 0.0f;
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void merge_by_flags(int n, const int *restrict from_a, const double *restrict a, const double *restrict b,
                    double *restrict out)
{
    int i = 0, j = 0;
    for (int k = 0; k < n; k++) {
        if (from_a[k])
            out[k] = a[i++];
        else
            out[k] = b[j++];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
int partition_stable(int n, const double *restrict x, double pivot, double *restrict low, double *restrict high)
{
    int nl = 0, nh = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < pivot)
            low[nl++] = x[i];
        else
            high[nh++] = x[i];
    }
    return nl;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int partition_front_and_back(int n, const int *restrict x, int *restrict out)
{
    int front = 0, back = n - 1;
    for (int i = 0; i < n; i++)
        if (x[i] % 2 == 0)
            out[front++] = x[i];
        else
            out[back--] = x[i];
    return front;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int remove_value(int *a, int n, int value)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (a[i] != value)
            a[k++] = a[i];
    return k;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo refused TL302, linalg hybrid, c loop-free
int unique_sorted(int n, const int *restrict x, int *restrict out)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || x[i] != x[i - 1])
            out[k++] = x[i];
    return k;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int run_lengths(int n, const int *restrict x, int *restrict length)
{
    int runs = 0, start = 0;
    for (int i = 1; i <= n; i++) {
        if (i == n || x[i] != x[start]) {
            length[runs++] = i - start;
            start = i;
        }
    }
    return runs;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int with_second_push(int n, const double *restrict x, double *restrict out)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        out[k++] = x[i];
        if (x[i] < 0.0)
            out[k++] = -x[i];
    }
    return k;
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void circular_weights(int n, int m, const double *restrict x, const double *restrict w, double *restrict y)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * w[k];
        if (++k == m)
            k = 0;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void steps_that_differ(int n, const double *restrict x, const double *restrict w, double *restrict y)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        y[i] = w[k];
        if (x[i] > 0.0)
            k += 2;
        else
            k += 1;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void pack_two_arrays(int n, const float *restrict u, const float *restrict v, float *restrict p, float *restrict q,
                     int *restrict count)
{
    int k = *count;
    for (int i = 0; i < n; i++)
        if (u[i] > v[i]) {
            p[k] = u[i];
            q[k] = v[i];
            k++;
        }
    *count = k;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
int drop_repeated(int n, const int *restrict x, int *restrict out)
{
    int k = 0;
    out[k++] = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] != x[i - 1])
            out[k++] = x[i];
    return k;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
long gather_valid(long n, const int *restrict ix, const double *restrict x, double *restrict out)
{
    double *p = out;
    for (long i = 0; i < n; i++)
        if (ix[i] >= 0)
            *p++ = x[ix[i]];
    return p - out;
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c scan
void pack_and_tell_where(int n, const float *restrict a, const float *restrict b, float *restrict out,
                         int *restrict place)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        place[i] = -1;
        if (a[i] > 0.0f && b[i] > 0.0f) {
            out[k] = a[i] / b[i];
            place[i] = k;
            k++;
        }
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int compress_up_to(int n, int most, const double *x, double *out) {
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0.0 && k < most)
            out[k++] = x[i];
    return k;
}
