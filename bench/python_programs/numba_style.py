"""Functions as they are written for Numba: decorated, explicit loops, ``prange``."""

import math

import numpy as np
from numba import njit, prange


@njit
def square(x):
    return x * x


@njit
def sign_of(x):
    if x > 0:
        return 1.0
    if x < 0:
        return -1.0
    return 0.0


@njit(parallel=True)
def parallel_axpy(a, x, y):
    for i in prange(x.shape[0]):
        y[i] = a * x[i] + y[i]


@njit
def sum_of_squares(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += square(x[i])
    return s


@njit
def signs(x, y):
    for i in range(x.size):
        y[i] = sign_of(x[i])


@njit
def pairwise(X, D):
    n, d = X.shape
    for i in prange(n):
        for j in range(n):
            s = 0.0
            for k in range(d):
                s += abs(X[i, k] - X[j, k])
            D[i, j] = s


@njit
def logistic(x, y):
    for i in range(len(x)):
        y[i] = 1.0 / (1.0 + math.exp(-x[i]))


@njit(cache=True)
def gemm(alpha, A, B, beta, C):
    n, m = C.shape
    for i in range(n):
        for j in range(m):
            C[i, j] *= beta
        for k in range(A.shape[1]):
            for j in range(m):
                C[i, j] += alpha * A[i, k] * B[k, j]


@njit
def threshold(image: "float32[:, :]", level: float):
    n, m = image.shape
    out = np.zeros((n, m), dtype=np.float32)
    for i in range(n):
        for j in range(m):
            if image[i, j] > level:
                out[i, j] = 1.0
    return out


@njit
def symmetrise(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            m = 0.5 * (A[i, j] + A[j, i])
            A[i, j] = m
            A[j, i] = m


@njit
def smallest_and_largest(x):
    lo = x[0]
    hi = x[0]
    for i in range(1, len(x)):
        lo = min(lo, x[i])
        hi = max(hi, x[i])
    return lo, hi


@njit
def heat_step(u, alpha):
    n = u.shape[0]
    v = u.copy()
    for i in range(1, n - 1):
        v[i] = u[i] + alpha * (u[i + 1] - 2 * u[i] + u[i - 1])
    return v
