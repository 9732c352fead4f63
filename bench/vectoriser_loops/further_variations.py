"""Further loops of the families of control, reductions and memory, as they are written in Python."""

import math


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
