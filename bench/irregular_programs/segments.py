"""Bounds that depend on data: sparse matrices, ragged rows, batches padded to one length."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def spmv(ptr: "int32[:]", col: "int32[:]", val: "float64[:]", x: "float64[:]"):
    n = len(ptr) - 1
    y = np.zeros(n)
    for i in range(n):
        for p in range(ptr[i], ptr[i + 1]):
            y[i] += val[p] * x[col[p]]
    return y


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def spmv_local(ptr: "int32[:]", col: "int32[:]", val: "float64[:]", x: "float64[:]", y: "float64[:]"):
    for i in range(y.shape[0]):
        s = 0.0
        for p in range(ptr[i], ptr[i + 1]):
            s += val[p] * x[col[p]]
        y[i] = s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def spmm(ptr: "int32[:]", col: "int32[:]", val: "float64[:]", x: "float64[:, :]", out: "float64[:, :]"):
    n, k = out.shape
    for i in range(n):
        for j in range(k):
            s = 0.0
            for p in range(ptr[i], ptr[i + 1]):
                s += val[p] * x[col[p], j]
            out[i, j] = s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def row_sums(offsets: "int64[:]", values: "float64[:]"):
    sums = np.zeros(len(offsets) - 1)
    for i in range(len(offsets) - 1):
        total = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            total += values[j]
        sums[i] = total
    return sums


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def row_max(offsets: "int64[:]", values: "float64[:]", most: "float64[:]"):
    for i in range(len(most)):
        m = -np.inf
        for j in range(offsets[i], offsets[i + 1]):
            m = max(m, values[j])
        most[i] = m


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def padded_sums(lengths: "int64[:]", a: "float64[:, :]"):
    n = a.shape[0]
    s = np.zeros(n)
    for i in range(n):
        for j in range(lengths[i]):
            s[i] += a[i, j]
    return s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def mask_batch(lengths: "int64[:]", a: "float64[:, :]"):
    for b in range(a.shape[0]):
        for t in range(lengths[b]):
            a[b, t] = a[b, t] * 2.0


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def first_cells(count: "int64[:]", x: "float64[:]"):
    s = 0.0
    for i in range(count[0]):
        s += x[i]
    return s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c refused TL406
def word_counts(starts: "int64[:]", letters: "uint8[:]", counts: "int64[:]"):
    for w in range(len(counts)):
        c = 0
        for p in range(starts[w], starts[w + 1]):
            if letters[p] == 101:
                c += 1
        counts[w] = c


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def row_dot(ptr: "int32[:]", a: "float64[:]", b: "float64[:]", out: "float64[:]"):
    for i in range(len(out)):
        lo, hi = ptr[i], ptr[i + 1]
        acc = 0.0
        p = lo
        while p < hi:
            acc += a[p] * b[p]
            p += 1
        out[i] = acc


# expect: numpy loop-free, jax refused TL315, torch loop-free, stablehlo refused TL315, linalg refused TL315, c loop-free
def scale_rows(indptr: "int32[:]", by: "float64[:]", data: "float64[:]"):
    for i in range(len(by)):
        for p in range(indptr[i], indptr[i + 1]):
            data[p] *= by[i]


# expect: numpy loop-free, jax refused TL315, torch loop-free, stablehlo refused TL315, linalg refused TL315, c loop-free
def coverage(first: "int64[:]", last: "int64[:]", depth: "int64[:]"):
    for k in range(len(first)):
        for at in range(first[k], last[k]):
            depth[at] += 1
