/* Distribution, interchange, wavefronts, scalars that are expanded and carried: families F13 to F19. */

/* F13: loop distribution */
void f13_running_difference(int n, float *p, float *w, float *r, const float *q)
{
    for (int i = 1; i < n; i++) {
        p[i] = q[i] * q[i];
        w[i] = w[i - 1] - p[i];
        r[i] = p[i] + 1.0f;
    }
}

void f13_running_sum(int n, float *p, float *w, const float *q, const float *r)
{
    for (int i = 1; i < n; i++) {
        p[i] = p[i] + q[i] * r[i];
        w[i] = w[i - 1] + p[i] + q[i];
    }
}

void f13_squaring_chain(int n, float *p, float *w, const float *q)
{
    for (int i = 1; i < n; i++) {
        p[i] = q[i] + 1.0f;
        w[i] = w[i - 1] * w[i - 1] * q[i];
    }
}

/* F14: loop interchange */
void f14_down_columns(int n, float P[n][n], const float Q[n][n])
{
    for (int j = 0; j < n; j++)
        for (int i = 1; i < n; i++)
            P[i][j] = P[i - 1][j] + Q[i][j];
}

void f14_along_rows(int n, float P[n][n], const float Q[n][n], const float *r)
{
    for (int j = 1; j < n; j++)
        for (int i = 0; i < n; i++)
            P[i][j] = P[i][j - 1] + Q[i][j] * r[j];
}

void f14_diagonal(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            P[i][j] = P[i - 1][j - 1] + Q[i][j];
}

void f14_two_statements(int n, float P[n][n], float R[n][n], const float Q[n][n])
{
    for (int j = 0; j < n; j++)
        for (int i = 1; i < n; i++) {
            P[i][j] = P[i - 1][j] + Q[i][j];
            R[i][j] = P[i][j] * 2.0f;
        }
}

void f14_guarded_column(int n, float P[n][n], const float Q[n][n], const float *r)
{
    for (int j = 0; j < n; j++)
        if (r[j] > 0.0f)
            for (int i = 1; i < n; i++)
                P[i][j] = P[i - 1][j] + Q[i][j];
}

void f14_triangular(int n, float P[n][n], const float Q[n][n])
{
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            P[i][j] = P[i - 1][j] + Q[i][j];
}

void f14_sum_of_rows(int n, float *s, const float Q[n][n])
{
    for (int j = 0; j < n; j++) {
        s[j] = 0.0f;
        for (int i = 0; i < n; i++)
            s[j] += Q[i][j];
    }
}

void f14_product(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            P[i][j] = P[i - 1][j] * Q[i][j];
}

void f14_square_of_neighbour(int n, float P[n][n], const float Q[n][n])
{
    for (int j = 0; j < n; j++)
        for (int i = 1; i < n; i++)
            P[i][j] = P[i - 1][j] * P[i - 1][j] + Q[i][j];
}

/* F15: wavefront */
void f15_wavefront(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            P[i][j] = P[i - 1][j] / 2.0f + P[i][j - 1] / 4.0f + Q[i][j];
}

/* F16: scalar expansion and renaming */
void f16_two_scalars(int n, float *p, float *r, const float *q, const float *w)
{
    for (int i = 0; i < n; i++) {
        float t = p[i] * q[i];
        r[i] = t + 1.0f;
        float u = r[i] / (w[i] * w[i] + 1.0f);
        p[i] = u - t;
    }
}

void f16_renamed(int n, float *p, float *w, const float *q, const float *r)
{
    float s;
    for (int i = 0; i < n; i++) {
        s = q[i] + r[i];
        p[i] = s + s;
        s = p[i] * q[i];
        w[i] = s - 1.0f;
    }
}

void f16_under_condition(int n, float *p, const float *q, const float *r)
{
    float t;
    for (int i = 0; i < n; i++) {
        if (q[i] > r[i])
            t = q[i];
        else
            t = r[i];
        p[i] = t * t;
    }
}

void f16_in_nest(int n, float P[n][n], const float Q[n][n], const float *q)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float t = Q[i][j] + q[j];
            P[i][j] = t * Q[i][j];
        }
}

float f16_last_value(int n, float *p, const float *q)
{
    float t = 0.0f;
    for (int i = 0; i < n; i++) {
        t = q[i] * 2.0f;
        p[i] = t + 1.0f;
    }
    return t;
}

/* F17: array expansion */
void f17_alternating(int n, float *u, float P[n][n], float Q[n][n], const float *w)
{
    for (int i = 0; i < n; i++) {
        u[0] = w[i];
        for (int j = 1; j < n; j++) {
            u[j] = P[i][j] - u[j - 1];
            Q[i][j] = u[j] + 1.0f;
        }
    }
}

void f17_row_buffer(int n, float *u, const float P[n][n], float Q[n][n], const float *w)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            u[j] = P[i][j] * w[j];
            Q[i][j] = u[j] + u[j] * u[j];
        }
}

/* F18: wrap-around and carry-around variables */
void f18_previous(int n, float *p, const float *q, const float *r, float t)
{
    for (int i = 0; i < n; i++) {
        p[i] = q[i] * t;
        t = r[i];
    }
}

void f18_wrapped(int n, float *p, const float *q)
{
    int last = n - 1;
    for (int i = 0; i < n; i++) {
        p[i] = (q[i] + q[last]) * 0.5f;
        last = i;
    }
}

void f18_two_levels(int n, float *p, const float *q)
{
    int last = n - 1;
    int before = n - 2;
    for (int i = 0; i < n; i++) {
        p[i] = (q[i] + q[last] + q[before]) * 0.333f;
        before = last;
        last = i;
    }
}

void f18_two_values(int n, float *p, const float *q)
{
    float x = q[n - 1];
    float y = q[n - 2];
    for (int i = 0; i < n; i++) {
        p[i] = (q[i] + x + y) * 0.333f;
        y = x;
        x = q[i];
    }
}

void f18_carried_product(int n, float *p, const float *q, const float *r)
{
    float t = 0.0f;
    for (int i = 0; i < n; i++) {
        float s = q[i] * r[i];
        p[i] = s + t;
        t = s;
    }
}

void f18_old_and_new(int n, float *p, const float *q)
{
    float x = q[0];
    for (int i = 0; i < n - 1; i++) {
        float y = q[i + 1];
        p[i] = y - x;
        x = y;
    }
}

/* F19: carry-around scalar that is set under a condition */
void f19_forward_fill(int n, float *p, const float *q, const float *r, float t)
{
    for (int i = 0; i < n; i++) {
        if (q[i] < 0.0f)
            t = r[i];
        p[i] = t - q[i];
    }
}
