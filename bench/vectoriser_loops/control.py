"""Control flow, index sets, diagonals: families F20 to F24."""

import math

# F20: masked store, one predicate


def f20_masked(p, q, r):
    n = len(r)
    for i in range(n):
        if q[i] < r[i]:
            p[i] = p[i] - r[i] * r[i]


def f20_own_value(p, q):
    n = len(q)
    for i in range(n):
        if p[i] < 0.0:
            p[i] = p[i] + q[i]


def f20_guarded_division(p, q, r):
    n = len(r)
    for i in range(n):
        if r[i] > 0.0:
            p[i] = q[i] / r[i]


def f20_goto_behind(p, q):
    for i in range(len(q)):
        if q[i] < 0.0:
            continue
        p[i] = q[i] * q[i]


def f20_matrix(P, Q):
    n = P.shape[0]
    for i in range(n):
        for j in range(n):
            if Q[i, j] > 0.0:
                P[i, j] = P[i, j] + Q[i, j]


def f20_two_stores(p, w, q):
    n = len(q)
    for i in range(n):
        if q[i] > 0.0:
            p[i] = q[i]
            w[i] = p[i] * 2.0


def f20_nested_domain(p, q, r):
    n = len(r)
    for i in range(n):
        if q[i] > 0.0:
            if r[i] > 0.0:
                p[i] = math.sqrt(r[i]) / q[i]


# F21: if/else and goto diamonds, three-way and computed branches, switch


def f21_three_ways(p, q, r):
    n = len(r)
    for i in range(n):
        if q[i] < -1.0:
            p[i] = r[i]
        elif q[i] > 1.0:
            p[i] = -r[i]
        else:
            p[i] = p[i] * q[i]


def f21_diamond(p, w, q, r):
    n = len(r)
    for i in range(n):
        if q[i] > r[i]:
            p[i] = q[i]
            w[i] = p[i] + 1.0
        else:
            p[i] = r[i]
            w[i] = p[i] - 1.0


def f21_goto_diamond(p, q, r):
    for i in range(len(p)):
        if p[i] > 0.0:
            p[i] += r[i]
        else:
            q[i] = -q[i] + r[i] * r[i]
            if q[i] > p[i]:
                p[i] += 1.0
        q[i] += p[i]


def f21_switch(p, kind: "int64[:]", q):
    for i in range(len(p)):
        if kind[i] == 0:
            p[i] = q[i]
        elif kind[i] == 1:
            p[i] = q[i] * 2.0
        elif kind[i] == 2:
            p[i] = -q[i]
        else:
            p[i] = 0.0


def f21_both_sides(p, w, q, r):
    n = len(r)
    for i in range(n):
        if q[i] > 0.0:
            p[i] = q[i] * r[i]
        else:
            w[i] = q[i] + r[i]


def f21_nested(p, q, r, limit: float):
    n = len(r)
    for i in range(n):
        if q[i] > 0.0:
            if r[i] > limit:
                p[i] = limit
            else:
                p[i] = r[i]
        else:
            p[i] = q[i]


def f21_ternary(p, q, r):
    n = len(r)
    for i in range(n):
        p[i] = 0.0 if q[i] < 0.0 else -1.0 if r[i] < 0.0 else 1.0


def f21_uniform(p, q, mode: int):
    n = len(q)
    for i in range(n):
        if mode > 0:
            p[i] = q[i] * 2.0
        else:
            p[i] = q[i] + 2.0


# F22: guards that are coupled to a store in the next iteration


def f22_next(p, w, q, r):
    n = len(r)
    for i in range(n - 1):
        if p[i] > 1.0:
            w[i] = w[i] + 1.0
        if q[i] > 0.0:
            p[i + 1] = r[i]


def f22_chain(p, q, r):
    n = len(r)
    for i in range(1, n):
        if q[i] > 0.0:
            p[i] = r[i]
        else:
            p[i] = p[i - 1]


# F23: index-set splitting, crossing thresholds


def f23_reversed_in_place(p, q):
    n = len(q)
    for i in range(n):
        p[i] = 2.0 * p[n - 1 - i] + q[i]


def f23_threshold(p, q, r, h: int):
    n = len(r)
    for i in range(n):
        if i < h:
            p[i] = q[i] + 1.0
        else:
            p[i] = r[i] * q[i]


# F24: diagonals


def f24_diagonal(P, Q):
    n = P.shape[0]
    for i in range(n):
        P[i, i] = Q[i, i] - P[i, i]


def f24_identity(P):
    n = P.shape[0]
    for i in range(n):
        for j in range(n):
            P[i, j] = 0.0
        P[i, i] = 1.0
