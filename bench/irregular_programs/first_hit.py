"""First hits, and prefixes up to them, as people write them."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def clear_until_negative(a: np.ndarray):
    for i in range(len(a)):
        if a[i] < 0:
            break
        a[i] = 0.0


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def sum_until(x: np.ndarray, limit: float) -> float:
    total = 0.0
    for v in x:
        if v > limit:
            break
        total += v
    return total


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def copy_until(src: np.ndarray, stop: float) -> np.ndarray:
    out = np.zeros(len(src))
    for i in range(len(src)):
        out[i] = src[i]
        if src[i] == stop:
            break
    return out


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def find(x: np.ndarray, key: float) -> int:
    for i, v in enumerate(x):
        if v == key:
            return i
    return -1


# expect: numpy refused TL166, jax refused TL166, torch refused TL166, stablehlo refused TL166, linalg refused TL166, c refused TL166
def find_or_else(x: np.ndarray, key: float) -> int:
    for i in range(x.shape[0]):
        if x[i] == key:
            place = i
            break
    else:
        place = x.shape[0]
    return place


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def value_at_hit(x: np.ndarray, y: np.ndarray, t: float) -> float:
    for i in range(len(x)):
        if x[i] > t:
            return y[i]
    return 0.0


# expect: numpy scan, jax scan, torch scan, stablehlo refused TL515, linalg scan, c loop-free
def budget(costs: np.ndarray, limit: float) -> int:
    used = 0.0
    for i in range(len(costs)):
        used += costs[i]
        if used > limit:
            return i
    return len(costs)


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def prefix_count(x: np.ndarray) -> int:
    i = 0
    while i < len(x) and x[i] > 0:
        i += 1
    return i


# expect: numpy refused TL180, jax refused TL180, torch refused TL180, stablehlo refused TL180, linalg refused TL180, c refused TL180
def find_2d(a: np.ndarray, key: float):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] == key:
                return i, j
    return -1, -1


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def row_prefix_sums(a: np.ndarray) -> np.ndarray:
    n, m = a.shape
    out = np.zeros(n)
    for i in range(n):
        for j in range(m):
            if a[i, j] < 0:
                break
            out[i] += a[i, j]
    return out


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def all_close(a: np.ndarray, b: np.ndarray, tol: float) -> bool:
    for i in range(len(a)):
        if abs(a[i] - b[i]) > tol:
            return False
    return True


# expect: numpy refused TL407, jax refused TL407, torch refused TL407, stablehlo refused TL407, linalg refused TL407, c refused TL406
def mixed(x: np.ndarray, y: np.ndarray) -> float:
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            break
        s += x[i]
        y[i] = 2 * x[i]
        if x[i] > 100:
            return -s
    return s


# expect: numpy scan, jax scan, torch scan, stablehlo refused TL515, linalg scan, c loop-free
def sampled(p: np.ndarray, coin: float) -> int:
    total = 0.0
    for i in range(len(p)):
        total += p[i]
        if coin < total:
            return i
    return len(p) - 1
