"""Reads at places that depend on data."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def gather(idx: "int64[n]", x: "float64[m]", y: "float64[n]"):
    for i in range(len(idx)):
        y[i] = x[idx[i]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def scaled_gather(alpha: "float32", where: "int32[n]", table: "float32[m]", bias: "float32[n]"):
    out = np.empty_like(bias)
    for k, w in enumerate(where):
        out[k] = alpha * table[w] + bias[k]
    return out


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def lookup_bytes(src: "uint8[h, w]", lut: "uint8[256]"):
    h, w = src.shape
    dst = np.zeros((h, w), dtype=np.uint8)
    for i in range(h):
        for j in range(w):
            dst[i, j] = lut[src[i, j]]
    return dst


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def embedding(token: "int64[t]", table: "float32[v, d]", out: "float32[t, d]"):
    for t in range(token.shape[0]):
        out[t, :] = table[token[t]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def chained(first: "int32[n]", second: "int32[m]", x: "float64[k]", y: "float64[n]"):
    for i in range(len(y)):
        j = first[i]
        y[i] = x[second[j]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def pick_pairs(a: "float64[p, q]", row: "int64[n]", col: "int64[m]", b: "float64[n, m]"):
    for i in range(len(row)):
        for j in range(len(col)):
            b[i, j] = a[row[i], col[j]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def ellpack(value: "float64[r, w]", column: "int32[r, w]", x: "float64[n]", y: "float64[r]"):
    for i in range(value.shape[0]):
        y[i] = 0.0
        for k in range(value.shape[1]):
            y[i] += value[i, k] * x[column[i, k]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def where_valid(idx: "int32[n]", x: "float64[m]", y: "float64[n]"):
    for i in range(len(idx)):
        if idx[i] >= 0:
            y[i] = x[idx[i]]
        else:
            y[i] = 0.0


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def masked(mask: "bool[n]", idx: "int64[n]", x: "float64[m]", y: "float64[n]"):
    for i in range(len(y)):
        if mask[i]:
            y[i] += x[idx[i]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def total(idx: "int64[n]", x: "float64[m]"):
    s = 0.0
    for k in idx:
        s += x[k]
    return s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def diagonal_picks(label: "int64[n]", score: "float64[n, m]", loss: "float64[n]"):
    for i in range(len(label)):
        loss[i] = -score[i, label[i]]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def weighted_in_turn(x: "float64[n]"):
    weights = [0.5, 0.25, 0.125]
    for i in range(len(x)):
        x[i] *= weights[i % 3]
