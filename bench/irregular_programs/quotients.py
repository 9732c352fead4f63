"""Quotients and remainders in subscripts: repeated and cyclic cells, digits, bins, rows and columns of flat arrays."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def repeat_each(y: np.ndarray, c: np.ndarray):
    for i in range(len(y)):
        y[i] = c[i // 3]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def repeated(c: np.ndarray, n: int):
    return np.array([c[i // 2] for i in range(n)])


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def digits(y: np.ndarray, a: np.ndarray):
    for i in range(y.shape[0]):
        y[i] = a[i // 10, i % 10]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def two_tables(y: np.ndarray, row: np.ndarray, col: np.ndarray):
    for i in range(len(y)):
        r, c = divmod(i, 7)
        y[i] = row[r] * col[c]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def polyphase(y: np.ndarray, x: np.ndarray, h: np.ndarray):
    for i in range(len(x)):
        y[i] = h[i % 4] * x[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c refused TL401
def block_scale(y: np.ndarray, x: np.ndarray, scale: np.ndarray, m: int):
    for i in range(len(x)):
        y[i] = x[i] * scale[i // m]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def tiled(y: np.ndarray, x: np.ndarray):
    m = len(x)
    for i in range(len(y)):
        y[i] = x[i % m]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def block_sums(s: np.ndarray, x: np.ndarray):
    for i in range(len(x)):
        s[i // 4] += x[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def by_phase(s: np.ndarray, x: np.ndarray):
    for i, v in enumerate(x):
        s[i % 3] += v


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def heap_gaps(gap: np.ndarray, key: np.ndarray):
    for i in range(1, len(key)):
        gap[i] = key[i] - key[(i - 1) // 2]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def mixed(y: np.ndarray, c: np.ndarray):
    n, m = y.shape
    for i in range(n):
        for j in range(m):
            y[i, j] = c[i // 2 + j % 3]


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def upsample(out: np.ndarray, image: np.ndarray):
    h, w = image.shape
    for y in range(2 * h):
        for x in range(2 * w):
            out[y, x] = image[y // 2, x // 2]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def bayer(out: np.ndarray, image: np.ndarray, gain: np.ndarray):
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            out[y, x] = image[y, x] * gain[y % 2, x % 2]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def add_head(y: np.ndarray, x: np.ndarray, parts: int):
    for i in range(x.shape[0] // parts):
        y[i] += x[i]
