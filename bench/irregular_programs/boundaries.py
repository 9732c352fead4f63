"""Boundary handling: wrapped, clamped, reflected and zero borders of stencils and windows."""

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def life(nxt: np.ndarray, cell: np.ndarray):
    h, w = cell.shape
    for y in range(h):
        for x in range(w):
            alive = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if dy != 0 or dx != 0:
                        alive += cell[(y + dy) % h, (x + dx) % w]
            nxt[y, x] = 1 if alive == 3 or (alive == 2 and cell[y, x] == 1) else 0


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def heat_ring(v: np.ndarray, u: np.ndarray, k: float):
    n = len(u)
    for i in range(n):
        v[i] = u[i] + k * (u[(i - 1) % n] - 2 * u[i] + u[(i + 1) % n])


# expect: numpy refused TL133, jax refused TL133, torch refused TL133, stablehlo refused TL133, linalg refused TL133, c refused TL133
def heat_negative_index(v: np.ndarray, u: np.ndarray, k: float):
    n = len(u)
    for i in range(n):
        v[i] = u[i] + k * (u[i - 1] - 2 * u[i] + u[(i + 1) % n])


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def heat_torus(v: np.ndarray, u: np.ndarray):
    n, m = u.shape
    for i in range(n):
        for j in range(m):
            v[i, j] = 0.25 * (u[(i + 1) % n, j] + u[(i - 1) % n, j] + u[i, (j + 1) % m] + u[i, (j - 1) % m])


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def rotate(y: np.ndarray, x: np.ndarray, k: int):
    n = len(x)
    for i in range(n):
        y[i] = x[(i + k) % n]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def smooth_clamped(y: np.ndarray, x: np.ndarray):
    n = len(x)
    for i in range(n):
        s = 0.0
        for k in range(-2, 3):
            s += x[min(max(i + k, 0), n - 1)]
        y[i] = s / 5


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def sobel_clamped(gx: np.ndarray, im: np.ndarray):
    h, w = im.shape
    for y in range(h):
        up, down = max(y - 1, 0), min(y + 1, h - 1)
        for x in range(w):
            left, right = max(x - 1, 0), min(x + 1, w - 1)
            gx[y, x] = (
                im[up, right] - im[up, left] + 2 * (im[y, right] - im[y, left]) + im[down, right] - im[down, left]
            )


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def same_convolution(y: np.ndarray, x: np.ndarray, w: np.ndarray):
    n = len(x)
    m = len(w)
    for i in range(n):
        s = 0.0
        for k in range(m):
            j = i + k - m // 2
            if 0 <= j < n:
                s += w[k] * x[j]
        y[i] = s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def same_filter(out: np.ndarray, image: np.ndarray, f: np.ndarray):
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            s = 0.0
            for a in range(3):
                for b in range(3):
                    p = y + a - 1
                    q = x + b - 1
                    if p < 0 or p >= h or q < 0 or q >= w:
                        continue
                    s += f[a, b] * image[p, q]
            out[y, x] = s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def reflected(y: np.ndarray, x: np.ndarray):
    n = len(x)
    for i in range(n):
        left = abs(i - 1)
        right = i + 1 if i + 1 < n else 2 * n - 3 - i
        y[i] = 0.25 * x[left] + 0.5 * x[i] + 0.25 * x[right]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
def neighbours(count: np.ndarray, a: np.ndarray):
    h, w = a.shape
    for y in range(h):
        for x in range(w):
            c = 0.0
            if y > 0:
                c += a[y - 1, x]
            if y < h - 1:
                c += a[y + 1, x]
            if x > 0:
                c += a[y, x - 1]
            if x < w - 1:
                c += a[y, x + 1]
            count[y, x] = c


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def wrapped_window(y: np.ndarray, x: np.ndarray, w: np.ndarray):
    n = len(x)
    for i in range(n):
        for k in range(len(w)):
            y[i] += w[k] * x[(i - k) % n]
