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


def f20_relu(p):
    for i in range(len(p)):
        p[i] = max(p[i], 0.0)


def f20_two_conditions(p, q, r):
    for i in range(len(p)):
        if q[i] > 0.0 and r[i] > 0.0:
            p[i] = q[i] * r[i]


def f20_not_equal(p, q, missing: float):
    for i in range(len(p)):
        if q[i] != missing:
            p[i] += q[i]


def f20_safe_log(p, q):
    for i in range(len(p)):
        if q[i] > 0.0:
            p[i] = math.log(q[i])
        else:
            p[i] = 0.0


def f21_sign(p, q):
    for i in range(len(p)):
        if q[i] > 0.0:
            p[i] = 1.0
        elif q[i] < 0.0:
            p[i] = -1.0
        else:
            p[i] = 0.0


def f21_continue(p, q):
    for i in range(len(p)):
        if q[i] < 0.0:
            p[i] = 0.0
            continue
        if q[i] > 1.0:
            p[i] = 1.0
            continue
        p[i] = q[i]


def f21_huber(p, q, delta: float):
    for i in range(len(p)):
        a = abs(q[i])
        if a <= delta:
            p[i] = 0.5 * a * a
        else:
            p[i] = delta * (a - 0.5 * delta)


def f21_table(p, kind: "int64[:]", a: float, b: float):
    for i in range(len(p)):
        k = kind[i] % 3
        if k == 0:
            p[i] = a
        elif k == 1:
            p[i] = b
        else:
            p[i] = a * b


def f22_flag(p, q):
    for i in range(1, len(p)):
        if q[i - 1] > 0.0:
            p[i] = q[i]
        if q[i] < 0.0:
            p[i - 1] = 0.0


def f23_borders(p, q):
    n = len(p)
    for i in range(n):
        if i == 0 or i == n - 1:
            p[i] = q[i]
        else:
            p[i] = (q[i - 1] + q[i + 1]) * 0.5


def f23_mirror(p):
    n = len(p)
    for i in range(n // 2):
        t = p[i]
        p[i] = p[n - 1 - i]
        p[n - 1 - i] = t


def f23_halves(p, q):
    n = len(p)
    for i in range(n):
        if i < n // 2:
            p[i] = q[2 * i]
        else:
            p[i] = 0.0


def f24_trace(P) -> float:
    s = 0.0
    for i in range(P.shape[0]):
        s += P[i, i]
    return s


def f24_add_to_diagonal(P, eps: float):
    for i in range(P.shape[0]):
        P[i, i] += eps


def f24_antidiagonal(P, q):
    n = P.shape[0]
    for i in range(n):
        P[i, n - 1 - i] = q[i]


def f25_mean_and_variance(p):
    s = 0.0
    for x in p:
        s += x
    mean = s / len(p)
    v = 0.0
    for x in p:
        v += (x - mean) ** 2
    return mean, v / len(p)


def f25_norm(p) -> float:
    s = 0.0
    for x in p:
        s += x * x
    return math.sqrt(s)


def f25_count(p, t: float) -> int:
    count = 0
    for x in p:
        if x > t:
            count += 1
    return count


def f25_weighted(p, w) -> float:
    s = 0.0
    total = 0.0
    for x, y in zip(p, w):
        s += x * y
        total += y
    return s / total


def f25_row_sums(Q, r):
    for i in range(Q.shape[0]):
        r[i] = 0.0
        for j in range(Q.shape[1]):
            r[i] += Q[i, j]


def f25_pairs(x) -> float:
    s = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            s += abs(x[i] - x[j])
    return s


def f26_geometric(p, ratio: float):
    x = 1.0
    for i in range(len(p)):
        p[i] = x
        x *= ratio


def f26_horner(c, x: float) -> float:
    s = 0.0
    for i in range(len(c) - 1, -1, -1):
        s = s * x + c[i]
    return s


def f27_range(p):
    low = p[0]
    high = p[0]
    for x in p:
        low = min(low, x)
        high = max(high, x)
    return low, high


def f27_row_max(Q, r):
    for i in range(Q.shape[0]):
        best = Q[i, 0]
        for j in range(1, Q.shape[1]):
            best = max(best, Q[i, j])
        r[i] = best


def f27_running(p, q):
    best = p[0]
    for i in range(len(p)):
        best = max(best, p[i])
        q[i] = best


def f28_nearest(p, t: float) -> int:
    best = 0
    for i in range(1, len(p)):
        if abs(p[i] - t) < abs(p[best] - t):
            best = i
    return best


def f28_row_argmax(Q, r: "int64[:]"):
    for i in range(Q.shape[0]):
        k = 0
        for j in range(1, Q.shape[1]):
            if Q[i, j] > Q[i, k]:
                k = j
        r[i] = k


def f28_from_infinity(p):
    best = -math.inf
    k = -1
    for i, x in enumerate(p):
        if x > best:
            best = x
            k = i
    return k, best


def f29_exponential_average(p, q, alpha: float):
    s = q[0]
    for i in range(len(q)):
        s = alpha * q[i] + (1.0 - alpha) * s
        p[i] = s


def f29_running_product(p, q):
    s = 1.0
    for i in range(len(q)):
        s *= q[i]
        p[i] = s


def f29_by_two(p, q):
    for i in range(2, len(p)):
        p[i] = p[i - 2] + q[i]


def f30_compound(p, rate, payment):
    balance = 0.0
    for i in range(len(p)):
        balance = balance * (1.0 + rate[i]) + payment[i]
        p[i] = balance


def f30_fibonacci(p):
    for i in range(2, len(p)):
        p[i] = p[i - 1] + p[i - 2]


def f31_index_of(p, t: float) -> int:
    for i, x in enumerate(p):
        if x == t:
            return i
    return -1


def f31_is_sorted(p) -> bool:
    for i in range(1, len(p)):
        if p[i] < p[i - 1]:
            return False
    return True


def f31_any_negative(p) -> bool:
    found = False
    for x in p:
        if x < 0.0:
            found = True
            break
    return found


def f32_until_negative(p, q):
    for i in range(len(p)):
        if q[i] < 0.0:
            break
        p[i] = q[i] * 2.0


def f32_sum_until(p, stop: float) -> float:
    s = 0.0
    for x in p:
        if x == stop:
            break
        s += x
    return s


def f33_positions(p, out: "int64[:]") -> int:
    k = 0
    for i in range(len(p)):
        if p[i] > 0.0:
            out[k] = i
            k += 1
    return k


def f33_append(p):
    kept = []
    for x in p:
        if x > 0.0:
            kept.append(x)
    return kept


def f33_split(p, low, high, t: float):
    i = 0
    j = 0
    for x in p:
        if x < t:
            low[i] = x
            i += 1
        else:
            high[j] = x
            j += 1


def f34_by_four(p, q):
    for i in range(0, len(p) - 3, 4):
        p[i] += q[i]
        p[i + 1] += q[i + 1]
        p[i + 2] += q[i + 2]
        p[i + 3] += q[i + 3]


def f35_view(u, q):
    v = u[2:]
    for i in range(len(u) - 2):
        v[i] = q[i] - 1.0


def f36_log_sum(p) -> float:
    s = 0.0
    for x in p:
        s += math.exp(x)
    return math.log(s)


def f37_embedding(E, ids: "int64[:]", out):
    for i in range(len(ids)):
        for j in range(E.shape[1]):
            out[i, j] = E[ids[i], j]


def f37_every_other(p, q):
    for i in range(len(p)):
        p[i] = q[i // 2]


def f38_histogram(h: "int64[:]", bins: "int64[:]"):
    for b in bins:
        h[b] += 1


def f38_inverse(order: "int64[:]", inverse: "int64[:]"):
    for i in range(len(order)):
        inverse[order[i]] = i


def f38_one_hot(Y, label: "int64[:]"):
    for i in range(len(label)):
        Y[i, label[i]] = 1.0
