"""Scatter: data chooses the cell that is written; the last writer wins."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def scatter(idx: "int64[:]", x, y):
    for i in range(len(idx)):
        y[idx[i]] = x[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def inverse_permutation(p: "int64[n]"):
    q = np.empty(len(p), dtype=np.int64)
    for i in range(len(p)):
        q[p[i]] = i
    return q


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def one_hot(label: "int64[n]", k: int):
    out = np.zeros((len(label), k))
    for i, c in enumerate(label):
        out[i, c] = 1.0
    return out


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def mark(seen: "int64[:]", flag: "int64[:]"):
    for s in seen:
        flag[s] = 1


# expect: numpy refused TL302, jax loop-free, torch loop-free, stablehlo loop-free, linalg refused TL302, c loop-free
def scatter_rows(idx: "int32[:]", x, y):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[idx[i], j] = x[i, j]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def scatter_where(idx: "int64[:]", keep, x, y):
    for i in range(len(x)):
        if keep[i] > 0:
            y[idx[i]] = 2 * x[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def last_seen(key: "int64[n]", last: "int64[m]"):
    for i in range(len(key)):
        last[key[i]] = i


# expect: numpy loop-free, jax loop-free, torch unchanged, stablehlo loop-free, linalg hybrid, c loop-free
def scatter_2d(r: "int64[n]", c: "int64[n]", v, image):
    for i in range(len(v)):
        image[r[i], c[i]] = v[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def permute_through(p: "int64[n]", q: "int64[n]", x, y):
    for i in range(len(p)):
        y[p[i]] = x[q[i]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def residual(at: "int64[n]", q, r, p):
    for i in range(len(at)):
        cell = at[i]
        p[cell] = q[i] - r[cell]


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c refused TL305
def raise_bids(item: "int64[n]", runner_up: "int64[n]", bid, best):
    for i in range(len(bid)):
        if bid[i] > best[item[i]]:
            best[item[i]] = bid[i]
            best[runner_up[i]] = 0.0


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def roll(y: np.ndarray, x: np.ndarray, k: int):
    n = len(x)
    for i in range(n):
        y[(i + k) % n] = x[i]
