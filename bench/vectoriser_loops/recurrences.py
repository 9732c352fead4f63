"""Distribution, interchange, wavefronts, scalars that are expanded and carried: families F13 to F19."""


# F13: loop distribution


def f13_running_difference(p, w, r, q):
    n = len(q)
    for i in range(1, n):
        p[i] = q[i] * q[i]
        w[i] = w[i - 1] - p[i]
        r[i] = p[i] + 1.0


def f13_running_sum(p, w, q, r):
    n = len(r)
    for i in range(1, n):
        p[i] = p[i] + q[i] * r[i]
        w[i] = w[i - 1] + p[i] + q[i]


def f13_squaring_chain(p, w, q):
    n = len(q)
    for i in range(1, n):
        p[i] = q[i] + 1.0
        w[i] = w[i - 1] * w[i - 1] * q[i]


# F14: loop interchange


def f14_down_columns(P, Q):
    n = P.shape[0]
    for j in range(n):
        for i in range(1, n):
            P[i, j] = P[i - 1, j] + Q[i, j]


def f14_along_rows(P, Q, r):
    n = P.shape[0]
    for j in range(1, n):
        for i in range(n):
            P[i, j] = P[i, j - 1] + Q[i, j] * r[j]


def f14_diagonal(P, Q):
    n = P.shape[0]
    for i in range(1, n):
        for j in range(1, n):
            P[i, j] = P[i - 1, j - 1] + Q[i, j]


def f14_two_statements(P, R, Q):
    n = P.shape[0]
    for j in range(n):
        for i in range(1, n):
            P[i, j] = P[i - 1, j] + Q[i, j]
            R[i, j] = P[i, j] * 2.0


def f14_guarded_column(P, Q, r):
    n = P.shape[0]
    for j in range(n):
        if r[j] > 0.0:
            for i in range(1, n):
                P[i, j] = P[i - 1, j] + Q[i, j]


def f14_triangular(P, Q):
    n = P.shape[0]
    for j in range(n):
        for i in range(j + 1, n):
            P[i, j] = P[i - 1, j] + Q[i, j]


def f14_sum_of_rows(s, Q):
    n = Q.shape[0]
    for j in range(n):
        s[j] = 0.0
        for i in range(n):
            s[j] += Q[i, j]


def f14_product(P, Q):
    n = P.shape[0]
    for i in range(1, n):
        for j in range(n):
            P[i, j] = P[i - 1, j] * Q[i, j]


def f14_square_of_neighbour(P, Q):
    n = P.shape[0]
    for j in range(n):
        for i in range(1, n):
            P[i, j] = P[i - 1, j] * P[i - 1, j] + Q[i, j]


# F15: wavefront


def f15_wavefront(P, Q):
    n = P.shape[0]
    for i in range(1, n):
        for j in range(1, n):
            P[i, j] = P[i - 1, j] / 2.0 + P[i, j - 1] / 4.0 + Q[i, j]


# F16: scalar expansion and renaming


def f16_two_scalars(p, r, q, w):
    n = len(w)
    for i in range(n):
        t = p[i] * q[i]
        r[i] = t + 1.0
        u = r[i] / (w[i] * w[i] + 1.0)
        p[i] = u - t


def f16_renamed(p, w, q, r):
    n = len(r)
    for i in range(n):
        s = q[i] + r[i]
        p[i] = s + s
        s = p[i] * q[i]
        w[i] = s - 1.0


def f16_under_condition(p, q, r):
    n = len(r)
    for i in range(n):
        if q[i] > r[i]:
            t = q[i]
        else:
            t = r[i]
        p[i] = t * t


def f16_in_nest(P, Q, q):
    n = P.shape[0]
    for i in range(n):
        for j in range(n):
            t = Q[i, j] + q[j]
            P[i, j] = t * Q[i, j]


def f16_last_value(p, q):
    n = len(q)
    t = 0.0
    for i in range(n):
        t = q[i] * 2.0
        p[i] = t + 1.0
    return t


# F17: array expansion


def f17_alternating(u, P, Q, w):
    n = P.shape[0]
    for i in range(n):
        u[0] = w[i]
        for j in range(1, n):
            u[j] = P[i, j] - u[j - 1]
            Q[i, j] = u[j] + 1.0


def f17_row_buffer(u, P, Q, w):
    n = P.shape[0]
    for i in range(n):
        for j in range(n):
            u[j] = P[i, j] * w[j]
            Q[i, j] = u[j] + u[j] * u[j]


# F18: wrap-around and carry-around variables


def f18_previous(p, q, r, t: float):
    n = len(r)
    for i in range(n):
        p[i] = q[i] * t
        t = r[i]


def f18_wrapped(p, q):
    n = len(q)
    last = n - 1
    for i in range(n):
        p[i] = (q[i] + q[last]) * 0.5
        last = i


def f18_two_levels(p, q):
    n = len(q)
    last = n - 1
    before = n - 2
    for i in range(n):
        p[i] = (q[i] + q[last] + q[before]) * 0.333
        before = last
        last = i


def f18_two_values(p, q):
    n = len(q)
    x = q[n - 1]
    y = q[n - 2]
    for i in range(n):
        p[i] = (q[i] + x + y) * 0.333
        y = x
        x = q[i]


def f18_carried_product(p, q, r):
    n = len(r)
    t = 0.0
    for i in range(n):
        s = q[i] * r[i]
        p[i] = s + t
        t = s


def f18_old_and_new(p, q):
    n = len(q)
    x = q[0]
    for i in range(n - 1):
        y = q[i + 1]
        p[i] = y - x
        x = y


# F19: carry-around scalar that is set under a condition


def f19_forward_fill(p, q, r, t: float):
    n = len(r)
    for i in range(n):
        if q[i] < 0.0:
            t = r[i]
        p[i] = t - q[i]
