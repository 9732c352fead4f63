"""Further loops of the same families, as they are written in Python: lists of pairs, while loops, slices, walks."""

import math


def f01_by_zip(p, q, r):
    i = 0
    for x, y in zip(q, r):
        p[i] = x * y
        i += 1


def f01_by_enumerate(p, q):
    for i, x in enumerate(q):
        p[i] = p[i] + x


def f01_while(p, q):
    i = 0
    while i < len(p):
        p[i] = q[i] - p[i]
        i += 1


def f01_chain(p, q, r, w):
    for i in range(len(p)):
        p[i] = q[i] + r[i]
        w[i] = p[i] * p[i]
        r[i] = w[i] - q[i]


def f01_three_dimensions(P, Q):
    for i in range(P.shape[0]):
        for j in range(P.shape[1]):
            for k in range(P.shape[2]):
                P[i, j, k] = 2.0 * Q[i, j, k]


def f01_clamp(p, low: float, high: float):
    for i in range(len(p)):
        p[i] = min(max(p[i], low), high)


def f02_odd(p, q):
    for i in range(1, len(p), 2):
        p[i] = q[i] + 1.0


def f02_while_step(p, q, step: int):
    i = 0
    while i < len(p):
        p[i] = q[i]
        i += step


def f02_from_end(p, q, count: int):
    n = len(p)
    for i in range(n - count, n):
        p[i] += q[i]


def f02_interleave(p, q, r):
    for i in range(len(q)):
        p[2 * i] = q[i]
        p[2 * i + 1] = r[i]


def f02_deinterleave(p, q, r):
    for i in range(len(q)):
        q[i] = p[2 * i]
        r[i] = p[2 * i + 1]


def f02_tiles(p, q):
    n = len(p)
    for start in range(0, n, 16):
        for i in range(start, min(start + 16, n)):
            p[i] = q[i] * 2.0


def f03_reversed(p, q):
    for i in reversed(range(len(p))):
        p[i] = q[i] + 1.0


def f03_shift_up(p):
    for i in range(len(p) - 1, 0, -1):
        p[i] = p[i - 1]


def f04_by_total(p):
    total = 0.0
    for x in p:
        total += x
    for i in range(len(p)):
        p[i] /= total


def f05_upper_to_lower(P):
    n = P.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            P[j, i] = P[i, j]


def f05_lower_scaled(P, q):
    n = P.shape[0]
    for i in range(n):
        for j in range(i + 1):
            P[i, j] *= q[j]


def f06_forward(L, b, x):
    for i in range(len(b)):
        s = 0.0
        for j in range(i):
            s += L[i, j] * x[j]
        x[i] = (b[i] - s) / L[i, i]


def f07_count_down(p, q):
    k = len(q)
    for i in range(len(p)):
        k -= 1
        p[i] = q[k]


def f07_start_at_two(p, q):
    k = 2
    for i in range(len(p) - 2):
        p[k] = q[i]
        k += 1


def f07_flat(p, Q):
    k = 0
    for row in Q:
        for x in row:
            p[k] = x
            k += 1


def f07_angle(p, step: float):
    angle = 0.0
    for i in range(len(p)):
        p[i] = math.cos(angle)
        angle += step


def square(x: float) -> float:
    return x * x


def f08_call(p, q):
    for i in range(len(p)):
        p[i] = square(q[i]) + 1.0


def f08_constant(p, q):
    offset = 3
    for i in range(len(p) - offset):
        p[i] = q[i + offset]


def f09_unpack_triangle(P, v):
    k = 0
    for i in range(P.shape[0]):
        for j in range(i + 1):
            P[i, j] = v[k]
            k += 1


def f10_moving_average(y, x, width: int):
    for i in range(len(y)):
        s = 0.0
        for j in range(width):
            s += x[i + j]
        y[i] = s / width


def f10_same(y, x, c):
    n = len(x)
    m = len(c)
    for i in range(n):
        s = 0.0
        for j in range(m):
            k = i + j - m // 2
            if 0 <= k < n:
                s += c[j] * x[k]
        y[i] = s


def f11_both(p, q, r):
    for i in range(1, len(p)):
        p[i] = r[i - 1]
        r[i] = q[i] * 2.0


def f12_difference(p, q):
    for i in range(len(p) - 1):
        q[i] = p[i + 1] - p[i]
        p[i] = q[i] * 0.5


def f12_smooth_copy(p, q):
    n = len(p)
    for i in range(1, n - 1):
        q[i] = (p[i - 1] + p[i] + p[i + 1]) / 3.0
    for i in range(1, n - 1):
        p[i] = q[i]


def f13_sums_and_squares(p, q, r):
    s = 0.0
    for i in range(len(p)):
        s += p[i]
        q[i] = s
        r[i] = p[i] * p[i]


def f13_two_running_sums(p, q, r, w):
    for i in range(1, len(p)):
        p[i] = p[i - 1] + r[i]
        q[i] = q[i - 1] + w[i]


def f14_integral_image(P, Q):
    for i in range(P.shape[0]):
        s = 0.0
        for j in range(P.shape[1]):
            s += Q[i, j]
            if i > 0:
                P[i, j] = P[i - 1, j] + s
            else:
                P[i, j] = s


def f14_cumulated_rows(P):
    for i in range(1, P.shape[0]):
        for j in range(P.shape[1]):
            P[i, j] += P[i - 1, j]


def f14_from_below(P, Q):
    n = P.shape[0]
    for i in range(n - 2, -1, -1):
        for j in range(P.shape[1]):
            P[i, j] = P[i + 1, j] + Q[i, j]


def f15_paths(P):
    for i in range(1, P.shape[0]):
        for j in range(1, P.shape[1]):
            P[i, j] = P[i - 1, j] + P[i, j - 1]


def f15_cheapest(P, Q):
    for i in range(1, P.shape[0]):
        for j in range(1, P.shape[1]):
            P[i, j] = min(P[i - 1, j], P[i, j - 1]) + Q[i, j]


def f16_distance(p, q, r):
    for i in range(len(p)):
        dx = q[i] - r[i]
        d2 = dx * dx
        p[i] = math.sqrt(d2 + 1.0) * dx


def f16_sigmoid(p, q):
    for i in range(len(p)):
        e = math.exp(-q[i])
        p[i] = 1.0 / (1.0 + e)


def f17_row_norms(P, Q, work):
    for i in range(P.shape[0]):
        for j in range(P.shape[1]):
            work[j] = P[i, j] * P[i, j]
        for j in range(P.shape[1]):
            Q[i, j] = work[j] + 1.0


def f18_first_difference(p, q):
    previous = 0.0
    for i in range(len(q)):
        p[i] = q[i] - previous
        previous = q[i]


def f18_trapezoid(q, h: float) -> float:
    s = 0.0
    before = q[0]
    for i in range(1, len(q)):
        s += 0.5 * h * (before + q[i])
        before = q[i]
    return s


def f18_zero_crossings(q) -> int:
    count = 0
    last = q[0]
    for x in q:
        if last * x < 0.0:
            count += 1
        last = x
    return count


def f19_hold(p, q, valid: "bool[:]"):
    last = 0.0
    for i in range(len(q)):
        if valid[i]:
            last = q[i]
        p[i] = last


def f19_since_event(p: "int64[:]", event: "bool[:]"):
    last = -1
    for i in range(len(event)):
        if event[i]:
            last = i
        p[i] = i - last
