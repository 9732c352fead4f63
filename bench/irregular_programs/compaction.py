"""Conditional counters: what some iterations count is a place, an index or a number of its own."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def count_above(x: np.ndarray, t: float):
    k = 0
    for i in range(len(x)):
        if x[i] > t:
            k += 1
    return k


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
def ranks(x: np.ndarray, rank: np.ndarray):
    seen = 0
    for i in range(x.shape[0]):
        rank[i] = seen
        if x[i] >= 0.0:
            seen = seen + 1


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def compress_positive(x: np.ndarray, out: np.ndarray):
    k = 0
    for i in range(len(x)):
        if x[i] > 0.0:
            out[k] = x[i]
            k += 1
    return k


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def where_nonzero(a: np.ndarray, places: np.ndarray):
    found = 0
    for i, value in enumerate(a):
        if value != 0:
            places[found] = i
            found += 1
    return found


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
def unpack(x: np.ndarray, packed: np.ndarray, out: np.ndarray):
    j = 0
    for i in range(len(x)):
        if x[i] > 0.0:
            out[i] = packed[j]
            j += 1


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
def merge_by_flags(flags: np.ndarray, a: np.ndarray, b: np.ndarray, out: np.ndarray):
    i = j = 0
    for k in range(len(flags)):
        if flags[k]:
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def partition_stable(x: np.ndarray, pivot: float, low: np.ndarray, high: np.ndarray):
    nl, nh = 0, 0
    for v in x:
        if v < pivot:
            low[nl] = v
            nl += 1
        else:
            high[nh] = v
            nh += 1
    return nl


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
def keep_masked(a: np.ndarray, keep: np.ndarray, out: np.ndarray):
    j = 0
    for i in range(len(a)):
        if not keep[i]:
            continue
        out[j] = 2.0 * a[i]
        j += 1
    return j


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def run_numbers(key: np.ndarray, run: np.ndarray):
    current = 0
    for i in range(len(key)):
        if i > 0 and key[i] != key[i - 1]:
            current += 1
        run[i] = current


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def circular_weights(x: np.ndarray, w: np.ndarray, y: np.ndarray):
    k = 0
    for i in range(len(x)):
        y[i] = x[i] * w[k]
        k += 1
        if k == len(w):
            k = 0


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def two_queues(x, y, z: "float64[n]", out, res, key: "int64[n]", t: float):
    waiting = 0
    served = 0
    for i in range(len(x)):
        if x[i] < t:
            res[waiting] = z[i] + out[key[i]]
            waiting += 1
        if z[i] > y[i] or key[i] == 0:
            out[served] = 2.0
            served += 1
    return waiting + served
