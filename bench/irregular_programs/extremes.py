"""Extremes with their places: several dimensions, ties, any start, conditions."""

import numpy as np


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo refused TL515, linalg hybrid, c hybrid
def argmax2(a: np.ndarray) -> tuple[int, int]:
    best = a[0, 0]
    r = 0
    c = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > best:
                best = a[i, j]
                r, c = i, j
    return r, c


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def last_of_equals(a: np.ndarray) -> int:
    best = 0
    for i in range(1, len(a)):
        if a[i] >= a[best]:
            best = i
    return best


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def argmin_abs(x: np.ndarray) -> int:
    smallest = abs(x[0])
    at = 0
    for i in range(1, len(x)):
        if abs(x[i]) < smallest:
            smallest = abs(x[i])
            at = i
    return at


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def top_under(score: np.ndarray, ok: np.ndarray) -> tuple[float, int]:
    best = float("-inf")
    at = -1
    for i in range(len(score)):
        if ok[i] > 0 and score[i] > best:
            best = score[i]
            at = i
    return best, at


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def argmax_enumerate(x: np.ndarray) -> int:
    best = -1e300
    at = -1
    for i, v in enumerate(x):
        if v > best:
            best, at = v, i
    return at


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def row_argmin(a: np.ndarray) -> np.ndarray:
    n, m = a.shape
    which = np.zeros(n, dtype=np.int64)
    for i in range(n):
        k = 0
        for j in range(1, m):
            if a[i, j] < a[i, k]:
                k = j
        which[i] = k
    return which


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
def nearest(p: np.ndarray, q: np.ndarray) -> int:
    best = np.inf
    at = 0
    for i in range(p.shape[0]):
        d = 0.0
        for k in range(p.shape[1]):
            d += (p[i, k] - q[k]) ** 2
        if d < best:
            best = d
            at = i
    return at


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def assign(points: np.ndarray, centres: np.ndarray, label: np.ndarray) -> None:
    for i in range(points.shape[0]):
        best = np.inf
        for c in range(centres.shape[0]):
            d = 0.0
            for k in range(points.shape[1]):
                d += (points[i, k] - centres[c, k]) ** 2
            if d < best:
                best = d
                label[i] = c
