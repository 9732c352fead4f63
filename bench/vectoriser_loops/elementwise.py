"""Loops without a dependence, strides, offsets, fixed cells, induction, calls: families F01 to F12."""


# F01: elementwise control loops


def f01_sum_of_product(p, q, r):
    n = len(r)
    for i in range(n):
        p[i] = q[i] + r[i] * q[i]


def f01_two_statements(p, w, q, r):
    n = len(r)
    for i in range(n):
        p[i] = q[i] - 1.0
        w[i] = r[i] * p[i]


def f01_matrix_sum(P, Q, R):
    n = P.shape[0]
    for i in range(n):
        for j in range(n):
            P[i, j] = Q[i, j] * R[i, j] + 2.0


def f01_square_difference(p, q, r, w):
    n = len(w)
    for i in range(n):
        p[i] = (p[i] - q[i]) * r[i] + w[i] * w[i]


def f01_every_second(p, q):
    n = len(q)
    for i in range(0, n - 1, 2):
        p[i + 1] = p[i] + q[i]


def f01_transposed_read(P, Q):
    n = P.shape[0]
    for i in range(n):
        for j in range(n):
            P[i, j] = Q[j, i] + 1.0


def f01_ahead_by_one(p, q):
    n = len(q)
    for i in range(n - 1):
        p[i] = p[i + 1] + q[i]


def f01_lower_triangle(P, Q):
    n = P.shape[0]
    for i in range(n):
        for j in range(i):
            P[i, j] = P[i, j] + Q[i, j]


def f01_division(p, q, r):
    n = len(r)
    for i in range(n):
        p[i] = q[i] / (r[i] * r[i] + 1.0)


# F02: strided access, symbolic bounds, strides and offsets


def f02_from_to(p, q, start: int, stop: int):
    n = len(q)
    for i in range(start, stop):
        p[i] = p[i] + q[i]


def f02_symbolic_step(p, q, step: int):
    n = len(q)
    for i in range(0, n, step):
        p[i] = p[i] + q[i]


def f02_step_from(p, q, first: int, step: int):
    n = len(q)
    k = 0
    for i in range(first - 1, n, step):
        k += 1
        p[i] = p[i] + q[n - k]


def f02_symbolic_offset(p, q, m: int):
    n = len(q)
    for i in range(n):
        p[i] = p[i + m] + q[i]


def f02_offset_behind(p, q, k: int):
    n = len(q)
    for i in range(n - k):
        p[i + k] = q[i] * 2.0


def f02_two_symbols(p, q, m: int, s: int, h: int):
    for i in range(m):
        p[s * i] = 2.0 * q[i] + q[s * i + h]


def f02_stride_of_both(x, y, incx: int, incy: int):
    n = len(y)
    for i in range(n):
        y[i * incy] = x[i * incx] + 1.0


def f02_half(p, q):
    n = len(q)
    for i in range(n // 2):
        p[i] = p[i + n // 2] + q[i]


# F03: linear dependence, negative step


def f03_falling(p, q):
    n = len(q)
    for i in range(n - 2, -1, -1):
        p[i + 1] = p[i] + q[i]


def f03_falling_by_two(p, q):
    n = len(q)
    for i in range(n - 1, 1, -1):
        p[i] = q[i] * p[i - 2]


# F04: a fixed element of the array that is written is read


def f04_first(p, q):
    n = len(q)
    for i in range(n):
        p[i] = q[i] - p[0]


def f04_middle(p, q):
    n = len(q)
    for i in range(n):
        p[i] = p[n // 2] + q[i]


def f04_last(p, q):
    n = len(q)
    for i in range(n):
        p[i] = q[i] * p[n - 1] + 1.0


# F05: transposed or triangular in-place update


def f05_below_from_above(P, Q):
    n = P.shape[0]
    for i in range(n):
        for j in range(i):
            P[i, j] = Q[i, j] * P[j, i] - 1.0


def f05_above_from_below(P, Q):
    n = P.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            P[i, j] = P[j, i] + Q[i, j]


def f05_symmetrise(P):
    n = P.shape[0]
    for i in range(n):
        for j in range(i):
            P[j, i] = P[i, j]


# F06: substitution


def f06_dot(p, q, Q):
    n = Q.shape[0]
    for i in range(n):
        s = q[i]
        for j in range(i):
            s -= Q[i, j] * p[j]
        p[i] = 0.5 * s


def f06_saxpy(p, Q):
    n = Q.shape[0]
    for j in range(n):
        for i in range(j + 1, n):
            p[i] -= Q[j, i] * p[j]


# F07: induction variables


def f07_secondary(p, q, r):
    n = len(r)
    k = 3
    for i in range(n):
        k += 2
        p[i] = q[k] - r[i]


def f07_both_branches(p, q, r):
    n = len(r)
    k = -1
    for i in range(n // 2):
        if q[i] > 0.0:
            k += 1
            p[k] = q[i] + r[i]
        else:
            k += 1
            p[k] = q[i] - r[i]


def f07_collapsed(p, Q):
    n = Q.shape[0]
    m = Q.shape[1]
    k = 0
    for i in range(n):
        for j in range(m):
            p[k] = Q[i, j] * 3.0
            k += 1


def f07_pointer(p, q):
    i = 0
    for x in q:
        p[i] = x + 4.0
        i += 1


def f07_two_counters(p, q):
    n = len(q)
    j = 0
    k = n
    for i in range(n):
        k -= 1
        p[j] = q[k]
        j += 1


def f07_step_twice(p, q, r):
    n = len(r)
    j = -1
    for i in range(n // 2):
        j += 1
        p[j] = q[i] + r[i]
        j += 1
        p[j] = q[i] - r[i]


def f07_float_counter(p, q):
    n = len(q)
    s = 0.0
    for i in range(n):
        s += 2.0
        p[i] = s * q[i]


# F08: constant propagation, calls


def multiply_and_add(u: float, v: float):
    return u * v + 1.0


def next_of(i: int):
    return i + 1


def put(p, i: int, value: float):
    p[i] = value


def f08_constant_offset(p, q):
    n = len(q)
    m = 2
    for i in range(n - 2):
        p[i] = multiply_and_add(q[i], p[i + m])


def f08_offset_by_call(p, q):
    n = len(q)
    for i in range(n - 1):
        p[i] = p[next_of(i)] + q[i]


def f08_store_by_call(p, q):
    n = len(q)
    for i in range(n):
        put(p, i, q[i] - 2.0)


def f08_constant_branch(p, q):
    n = len(q)
    kind = 1
    for i in range(n):
        if kind == 1:
            p[i] = q[i] + 1.0
        else:
            p[i] = p[i - 1]


def f08_row_by_call(P, q):
    n = P.shape[0]
    for i in range(n):
        for j in range(n):
            put(P[i], j, q[j] * P[i, j])


def f08_bound_from_variable(p, q):
    n = len(q)
    half = n // 2
    last = half * 2
    for i in range(last):
        p[i] = q[i] * q[i]


def f08_call_of_two(p, q, r):
    n = len(r)
    for i in range(n):
        p[i] = multiply_and_add(multiply_and_add(q[i], r[i]), p[i])


# F09: packed triangle


def f09_packed(v, Q):
    n = Q.shape[0]
    for i in range(n):
        for j in range(i + 1):
            k = i * (i + 1) // 2 + j
            v[k] = v[k] * Q[i, j]


# F10: convolution


def f10_convolution(y, x, c):
    n = len(c)
    m = len(c)
    for i in range(n):
        for j in range(m):
            y[i] += c[j] * x[i + j]


# F11: statement reordering


def f11_later_first(p, q, r, w):
    n = len(w)
    for i in range(2, n):
        p[i] = q[i] * r[i - 2]
        r[i] = w[i] - q[i]


def f11_two_ways(p, q, r, w):
    n = len(w)
    for i in range(1, n - 1):
        p[i] = q[i - 1] + r[i] * w[i]
        q[i] = q[i + 1] - w[i] * r[i]


def f11_outputs(p, q, r):
    n = len(r)
    for i in range(1, n):
        p[i] = q[i - 1] + 2.0
        q[i] = r[i] * r[i]


# F12: node splitting


def f12_save_old(p, w, q, r):
    n = len(r)
    for i in range(n - 2):
        p[i] = q[i] * r[i]
        w[i] = p[i] if p[i] > p[i + 2] else p[i + 2]


def f12_overwritten(p, q, r):
    n = len(r)
    for i in range(n - 1):
        p[i] = r[i]
        p[i + 1] = q[i]
        q[i] = p[i]


def f12_false_cycle(p, q, r):
    n = len(r)
    for i in range(n - 1):
        p[i] = q[i] + r[i]
        q[i] = r[i + 1] if p[i] > 0.0 else q[i] * 2.0
        p[i + 1] = q[i] + p[i + 1] * r[i]


def f12_two_targets(p, q, r):
    n = len(r)
    for i in range(n - 1):
        q[i] = p[i + 1] * r[i]
        p[i] = q[i] + r[i]


def f12_ahead_and_behind(p, w, q):
    n = len(q)
    for i in range(1, n - 1):
        w[i] = p[i - 1] + p[i + 1]
        p[i - 1] = q[i]


def f12_swap(p, q):
    n = len(q)
    for i in range(n):
        t = p[i]
        p[i] = q[i]
        q[i] = t
