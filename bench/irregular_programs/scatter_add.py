"""Scatter with an operation: data chooses the cell that is updated."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def histogram(key: "int[n]", count: "int[bins]"):
    for k in key:
        count[k] += 1


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def histogram_from_zero(key: "int32[n]", bins: int):
    count = np.zeros(bins, dtype=np.int64)
    for i in range(len(key)):
        count[key[i]] += 1
    return count


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def weighted_histogram(bin: "int64[:]", w, h):
    for i in range(len(bin)):
        h[bin[i]] = h[bin[i]] + w[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def confusion_matrix(truth: "int64[n]", guess: "int64[n]", k: int):
    m = np.zeros((k, k))
    for t, g in zip(truth, guess):
        m[t, g] += 1
    return m


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def coo_spmv(row: "int64[:]", col: "int64[:]", val, x, y):
    for k in range(len(val)):
        y[row[k]] += val[k] * x[col[k]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def largest_by_key(key: "int32[n]", v: "float64[n]", best: "float64[m]"):
    for i in range(len(v)):
        best[key[i]] = max(best[key[i]], v[i])


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def add_rows(label: "int64[:]", x, total):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total[label[i], j] += x[i, j]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def deposit(cell: "int64[:]", frac, q: float, rho):
    for p in range(len(cell)):
        rho[cell[p]] += q * (1 - frac[p])
        rho[cell[p] + 1] += q * frac[p]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def count_positive(group: "int64[:]", x, count: "int64[:]"):
    for i in range(len(x)):
        if x[i] > 0:
            count[group[i]] += 1


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def degrees(src: "int64[m]", dst: "int64[m]", degree: "int64[n]"):
    for e in range(len(src)):
        degree[src[e]] += 1
        degree[dst[e]] += 1


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def histogram_in_range(x: "float64[:]", h: "int64[:]"):
    for v in x:
        b = int(v * 2.0)
        if 0 <= b < len(h):
            h[b] += 1


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def totals_on_a_ring(total: np.ndarray, x: np.ndarray):
    m = len(total)
    for i in range(len(x)):
        total[i % m] += x[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def pair_forces(f: "float64[n]", a: "int64[m]", b: "int64[m]", p: "float64[m]"):
    for e in range(len(p)):
        f[a[e]] += p[e]
        f[b[e]] -= p[e]


# expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg hybrid, c loop-free
def take_tokens(bucket: "uint32[m]", key: "int64[n]"):
    for k in key:
        bucket[k] -= 3


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def spend(left: "uint8[m]", key: "int64[n]", cost: "uint8[n]"):
    for i in range(len(key)):
        left[key[i]] -= cost[i]
