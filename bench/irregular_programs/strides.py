"""Symbolic strides and steps, tiles, quadratic induction, packed triangles."""

import numpy as np


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def every_sth(n: int, s: int, a: np.ndarray, b: np.ndarray) -> None:
    for i in range(0, n, s):
        a[i] = b[i] + 1.0


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def take_stride(a: np.ndarray, s: int, n: int) -> np.ndarray:
    c = np.zeros(n)
    for i in range(n):
        c[i] = 2.0 * a[s * i]
    return c


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def axpy(n: int, alpha: float, x: np.ndarray, incx: int, y: np.ndarray, incy: int) -> None:
    ix = 0
    iy = 0
    for _ in range(n):
        y[iy] += alpha * x[ix]
        ix += incx
        iy += incy


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def scal(n: int, alpha: float, x: np.ndarray, incx: int) -> None:
    ix = 0
    for _ in range(n):
        x[ix] *= alpha
        ix += incx


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def add_positive(n: int, x: np.ndarray, y: np.ndarray, y0: int, incy: int) -> None:
    iy = y0
    for i in range(n):
        if x[i] > 0:
            y[iy] += x[i]
        iy += incy


# expect: numpy unchanged, jax unchanged, torch unchanged, stablehlo unchanged, linalg unchanged, c refused TL305
def swap(n: int, x: np.ndarray, incx: int, y: np.ndarray, incy: int) -> None:
    for i in range(n):
        t = x[i * incx]
        x[i * incx] = y[i * incy]
        y[i * incy] = t


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def dot_from(n: int, x: np.ndarray, x0: int, incx: int, y: np.ndarray, y0: int, incy: int) -> float:
    ix = x0
    iy = y0
    s = 0.0
    for _ in range(n):
        s += x[ix] * y[iy]
        ix += incx
        iy -= incy
    return s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def dot(n: int, x: np.ndarray, incx: int, y: np.ndarray, incy: int) -> float:
    s = 0.0
    for k in range(n):
        s += x[k * incx] * y[k * incy]
    return s


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def tiled_scale(x: np.ndarray, t: int, alpha: float) -> None:
    n = len(x)
    for ii in range(0, n, t):
        for i in range(ii, min(ii + t, n)):
            x[i] = alpha * x[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def tiled_transpose(a: np.ndarray, b: np.ndarray, tile: int) -> None:
    n, m = a.shape
    for ii in range(0, n, tile):
        for jj in range(0, m, tile):
            for i in range(ii, min(ii + tile, n)):
                for j in range(jj, min(jj + tile, m)):
                    b[j, i] = a[i, j]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def tiled_matmul(A: np.ndarray, B: np.ndarray, C: np.ndarray, T: int) -> None:
    n = A.shape[0]
    for i0 in range(0, n, T):
        for j0 in range(0, n, T):
            for k0 in range(0, n, T):
                for i in range(i0, min(i0 + T, n)):
                    for j in range(j0, min(j0 + T, n)):
                        for k in range(k0, min(k0 + T, n)):
                            C[i, j] += A[i, k] * B[k, j]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def block_means(x: np.ndarray, w: int) -> np.ndarray:
    out = np.zeros(len(x) // w)
    for b in range(len(x) // w):
        s = 0.0
        for i in range(b * w, (b + 1) * w):
            s += x[i]
        out[b] = s / w
    return out


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def pack_lower(A: np.ndarray, p: np.ndarray) -> None:
    k = 0
    for i in range(A.shape[0]):
        for j in range(i + 1):
            p[k] = A[i, j]
            k += 1


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def unpack_lower(n: int, p: np.ndarray) -> np.ndarray:
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            A[i, j] = p[i * (i + 1) // 2 + j]
    return A


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def packed_mv(ap: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    for i in range(len(x)):
        s = 0.0
        for j in range(i + 1):
            s += ap[i * (i + 1) // 2 + j] * x[j]
        y[i] = s


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def sieve_step(flags: np.ndarray, p: int) -> None:
    for m in range(p * p, len(flags), p):
        flags[m] = 0.0
