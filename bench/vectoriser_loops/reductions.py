"""Reductions, running values, searches: families F25 to F32."""


# F25: sum, dot, conditional sum


def f25_sum(p):
    n = len(p)
    s = 0.0
    for i in range(n):
        s += p[i]
    return s


def f25_dot(p, q):
    n = len(q)
    s = 0.0
    for i in range(n):
        s += p[i] * q[i]
    return s


def f25_conditional(p, q):
    n = len(q)
    s = 0.0
    for i in range(n):
        if q[i] > 0.0:
            s += p[i] * p[i]
    return s


def f25_partial(p):
    n = len(p)
    s = 0.0
    for i in range(n // 2):
        s += p[i] + p[i + n // 2]
    return s


def f25_matrix(P):
    n = P.shape[0]
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += P[i, j]
    return s


def f25_two_sums(p, q):
    n = len(q)
    s = 0.0
    d = 0.0
    for i in range(n):
        s += p[i]
        d += p[i] * q[i]
    sum = s
    dot = d
    return sum, dot


def f25_by_index(p):
    n = len(p)
    s = 0.0
    for i in range(n):
        s += p[i] * i
    return s


# F26: product, power


def f26_product(p):
    n = len(p)
    s = 1.0
    for i in range(n):
        s *= 1.0 + p[i]
    return s


def f26_power(n: int):
    s = 1.0
    for i in range(n):
        s *= 0.99
    return s


# F27: max, min by value


def f27_max(p):
    n = len(p)
    m = p[0]
    for i in range(n):
        m = max(m, p[i])
    return m


def f27_min_of_distance(p, q):
    m = abs(p[0] - q[0])
    for i in range(1, len(p)):
        d = abs(p[i] - q[i])
        m = min(m, d)
    return m


def f27_matrix_max(P):
    n = P.shape[0]
    m = P[0, 0]
    for i in range(n):
        for j in range(n):
            m = max(m, P[i, j])
    return m


# F28: argmax with value


def f28_max_and_place(p):
    n = len(p)
    m = p[0]
    k = 0
    for i in range(n):
        if p[i] > m:
            m = p[i]
            k = i
    place = k
    return m + k, place


def f28_strided(p, inc: int):
    n = len(p)
    k = 0
    at = 0
    m = abs(p[0])
    k += inc
    for i in range(1, n):
        if abs(p[k]) > m:
            at = i
            m = abs(p[k])
        k += inc
    return m + at + 1.0


def f28_matrix(P):
    n = P.shape[0]
    m = P[0, 0]
    x = 0
    y = 0
    for i in range(n):
        for j in range(n):
            if P[i, j] > m:
                m = P[i, j]
                x = i
                y = j
    row = x
    column = y
    return m, row, column


def f28_last_least(p, q):
    n = len(q)
    m = p[0] * q[0]
    k = 0
    for i in range(1, n):
        if p[i] * q[i] <= m:
            m = p[i] * q[i]
            k = i
    return k


# F29: running sums and recurrences with constant coefficients


def f29_running_half(r, p, q):
    n = len(q)
    s = 0.0
    for i in range(n):
        s = s + p[i] * q[i]
        r[i] = s / 2.0


def f29_in_place(p, q):
    n = len(q)
    for i in range(1, n):
        p[i] = p[i - 1] + q[i]


def f29_at_distance(p, q):
    n = len(q)
    for i in range(4, n):
        p[i] = p[i - 4] + q[i]


def f29_coupled(p, q, r):
    n = len(r)
    for i in range(1, n):
        p[i] = q[i - 1] + r[i]
        q[i] = p[i] + r[i]


# F30: variable coefficients


def f30_first_order(p, q, r):
    n = len(r)
    for i in range(1, n):
        p[i] = q[i] * p[i - 1] + r[i]


def f30_second_order(p, q, r):
    n = len(r)
    for i in range(2, n):
        p[i] = p[i - 1] * q[i] + p[i - 2] * r[i]


# F31: searches


def f31_first(p, q, t: float):
    n = len(q)
    k = -1
    for i in range(n):
        if p[i] * q[i] > t:
            k = i
            break
    return k


def f31_last(p, t: float):
    n = len(p)
    k = -1
    for i in range(n):
        if p[i] > t:
            k = i
    return k


# F32: exit in the middle


def f32_after(p, q, r):
    n = len(r)
    for i in range(n):
        p[i] = p[i] - q[i]
        if r[i] == 0.0:
            break


def f32_before(p, q, r):
    n = len(r)
    for i in range(n):
        if r[i] < 0.0:
            return
        p[i] = p[i] + q[i] * r[i]
