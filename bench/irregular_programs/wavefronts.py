"""Tables in which a cell needs its neighbours above and to the left, in Python."""

import numpy as np


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def edit_distance(s: "int[m]", t: "int[n]"):
    d = np.zeros((len(s) + 1, len(t) + 1), dtype=np.int64)
    for i in range(len(s) + 1):
        d[i, 0] = i
    for j in range(len(t) + 1):
        d[0, j] = j
    for i in range(1, len(s) + 1):
        for j in range(1, len(t) + 1):
            cost = 0 if s[i - 1] == t[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def smith_waterman(a: "int[m]", b: "int[n]", gap: int):
    h = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            match = h[i - 1, j - 1] + (3 if a[i - 1] == b[j - 1] else -3)
            h[i, j] = max(0, match, h[i - 1, j] - gap, h[i, j - 1] - gap)
    return h


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def common_subsequence(x: "int[m]", y: "int[n]", L: "int[m+1,n+1]"):
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            if x[i - 1] == y[j - 1]:
                L[i, j] = L[i - 1, j - 1] + 1
            else:
                L[i, j] = max(L[i - 1, j], L[i, j - 1])


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def average(a: "float[m,n]"):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = 0.5 * (a[i - 1, j] + a[i, j - 1])


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def time_warp(x: "float[m]", y: "float[n]", D: "float[m,n]"):
    for i in range(1, len(x)):
        for j in range(1, len(y)):
            D[i, j] = abs(x[i] - y[j]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def cheapest_path(cost: "float[m,n]"):
    for i in range(1, cost.shape[0]):
        for j in range(1, cost.shape[1]):
            cost[i, j] += min(cost[i - 1, j], cost[i, j - 1])
