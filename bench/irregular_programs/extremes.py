"""Extremes with their places: several dimensions, ties, any start, conditions."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
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


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
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


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c loop-free
def oldest(age: np.ndarray, salary: np.ndarray) -> float:
    best = -1.0
    found = 0.0
    for i in range(len(age)):
        if age[i] > best:
            best = age[i]
            found = salary[i]
    return found


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c refused TL305
def last_minimum2(a: np.ndarray) -> tuple[int, int]:
    n, m = a.shape
    least = a[0, 0]
    r = c = 0
    for i in range(n):
        for j in range(m):
            if a[i, j] <= least:
                least = a[i, j]
                r = i
                c = j
    return r, c


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
def pivot(a: np.ndarray) -> tuple[float, int, int]:
    big = -1.0
    row, col = -1, -1
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if abs(a[i, j]) > big:
                big = abs(a[i, j])
                row, col = i, j
    return big, row, col


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
def brightest(image: np.ndarray, mask: np.ndarray) -> tuple[int, int]:
    h, w = image.shape
    best = float("-inf")
    y = x = -1
    for i in range(h):
        for j in range(w):
            if mask[i, j] > 0 and image[i, j] > best:
                best = image[i, j]
                y, x = i, j
    return y, x


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c refused TL305
def best_split(gain: np.ndarray, threshold: np.ndarray) -> tuple[int, float]:
    best = 0.0
    feature = -1
    cut = 0.0
    for f in range(gain.shape[0]):
        for t in range(gain.shape[1]):
            if gain[f, t] > best:
                best = gain[f, t]
                feature = f
                cut = threshold[f, t]
    return feature, cut
