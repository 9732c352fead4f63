"""Packing, rerolling, two names of one array, intrinsics, indirect addressing: families F33 to F38."""

import math

# F33: packing, compaction, unpacking


def f33_pack(w, p, q):
    n = len(q)
    k = 0
    for i in range(n):
        if p[i] < q[i]:
            w[k] = 2.0 * p[i]
            k += 1
    return k


def f33_pack_from_minus_one(w, p):
    n = len(p)
    k = -1
    for i in range(n):
        if p[i] > 0.0:
            k += 1
            w[k] = p[i]


def f33_unpack(p, w):
    n = len(w)
    k = -1
    for i in range(n):
        if p[i] > 0.0:
            k += 1
            p[i] = w[k]


def f33_second_push(w, p, q):
    n = len(q)
    k = -1
    for i in range(n):
        k += 1
        w[k] = p[i] + 1.0
        if q[i] > 0.0:
            k += 1
            w[k] = q[i] * 2.0
    return k + 1


# F34: loop rerolling


def f34_by_three(p, q, c: float):
    for i in range(0, len(p) - 2, 3):
        p[i] = c * p[i] - q[i]
        p[i + 1] = c * p[i + 1] - q[i + 1]
        p[i + 2] = c * p[i + 2] - q[i + 2]


def f34_dot(p, q):
    n = len(q)
    s = 0.0
    for i in range(0, n, 5):
        s = s + p[i] * q[i] + p[i + 1] * q[i + 1] + p[i + 2] * q[i + 2] + p[i + 3] * q[i + 3] + p[i + 4] * q[i + 4]
    return s


def f34_gather(p, q, at: "int64[:]", c: float):
    for i in range(0, len(p) - 1, 2):
        p[i] += c * q[at[i]]
        p[i + 1] += c * q[at[i + 1]]


def f34_read_ahead(p):
    n = len(p)
    for i in range(0, n - 2, 2):
        p[i] = p[i + 1] * p[i]
        p[i + 1] = p[i + 2] * p[i + 1]


# F35: two names of one array


def f35_ahead(u, q):
    v = u[1:]
    for i in range(len(v)):
        u[i] = v[i] + q[i]


def f35_behind(u, q):
    v = u[3:]
    for i in range(len(v)):
        v[i] = u[i] * q[i]


def f35_one_behind(u, q):
    v = u[1:]
    for i in range(len(v)):
        v[i] = u[i] + q[i]


def f35_same(u, q):
    v = u
    for i in range(len(v)):
        v[i] = u[i] - q[i]


def f35_flat_and_matrix(u, q):
    M = u.reshape(len(q), 4)
    for i in range(len(q)):
        for j in range(4):
            M[i, j] = u[4 * i + j] * q[i]


# F36: intrinsics, the index as a value


def f36_exponential(p, q):
    n = len(q)
    for i in range(n):
        p[i] = math.exp(-q[i]) * (2 * i + 1)


def f36_trigonometry(p, q, r):
    n = len(r)
    for i in range(n):
        p[i] = math.sin(q[i]) + math.cos(r[i])


def f36_square_root(p, q):
    n = len(q)
    for i in range(n):
        p[i] = math.sqrt(abs(q[i])) + i


# F37: gather, sparse dot, index arithmetic


def f37_gather(p, q, at: "int64[:]"):
    n = len(at)
    for i in range(n):
        p[i] = p[i] + q[at[i]]


def f37_sparse_dot(p, q, at: "int64[:]"):
    n = len(at)
    s = 0.0
    for i in range(n):
        s += p[i] * q[at[i]]
    return s


def f37_offset_gather(p, q, at: "int64[:]"):
    n = len(at)
    for i in range(n):
        p[i] = q[at[i] + 1] * 2.0


def f37_third(p, q, r):
    n = len(r)
    for i in range(n):
        p[i] = q[i] * r[i // 3]


def f37_half(p, q, r):
    n = len(r)
    for i in range(n):
        p[i] = q[i] + r[i // 2] * q[i]


def f37_rows(P, Q, row: "int64[:]"):
    n = P.shape[0]
    m = P.shape[1]
    for i in range(n):
        for j in range(m):
            P[i, j] = Q[row[i], j]


# F38: scatter


def f38_store(p, q, at: "int64[:]"):
    n = len(at)
    for i in range(n):
        p[at[i]] = q[i] * 2.0


def f38_add(p, q, at: "int64[:]"):
    n = len(at)
    for i in range(n):
        p[at[i]] = p[at[i]] + q[i]


def f38_gather_and_store(p, q, r, at: "int64[:]"):
    n = len(at)
    for i in range(n):
        p[at[i]] = q[i] - r[at[i]]
