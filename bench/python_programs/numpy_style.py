"""Functions that index NumPy arrays in loops."""

import math

import numpy as np

WINDOW = 3


def axpy(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]


def scaled_copy(x, y, factor):
    n = x.shape[0]
    for i in range(n):
        y[i] = factor * x[i]


def dot(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def matvec(A, x):
    n, m = A.shape
    y = np.zeros(n)
    for i in range(n):
        for j in range(m):
            y[i] += A[i, j] * x[j]
    return y


def matmul(A, B):
    n, m = A.shape
    p = B.shape[1]
    C = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            acc = 0.0
            for k in range(m):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc
    return C


def transposed(A):
    n, m = A.shape
    B = np.empty((m, n))
    for i in range(n):
        for j in range(m):
            B[j, i] = A[i, j]
    return B


def outer(x, y):
    A = np.empty((len(x), len(y)))
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            A[i, j] = a * b
    return A


def trace(A):
    t = 0.0
    for i in range(A.shape[0]):
        t += A[i, i]
    return t


def frobenius(A):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += A[i, j] ** 2
    return math.sqrt(s)


def row_sums(A):
    n, m = A.shape
    out = np.empty(n)
    for i in range(n):
        out[i] = np.sum(A[i, :])
    return out


def column_means(A):
    n, m = A.shape
    out = np.zeros(m)
    for j in range(m):
        for i in range(n):
            out[j] += A[i, j]
        out[j] /= n
    return out


def blur(a, b):
    for i in range(1, len(a) - 1):
        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3


def jacobi(u, v):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


def convolve_valid(x: np.ndarray, w: np.ndarray, y: np.ndarray, n: int, m: int):
    for i in range(n - m + 1):
        y[i] = 0.0
        for k in range(m):
            y[i] += x[i + k] * w[k]


def moving_average(x, y):
    for i in range(len(x) - WINDOW + 1):
        s = 0.0
        for k in range(WINDOW):
            s += x[i + k]
        y[i] = s / WINDOW


def softmax(x: "float64[:]"):
    m = np.max(x)
    e = np.exp(x - m)
    return e / e.sum()


def normalised(x: "float64[:]"):
    return (x - np.mean(x)) / np.sqrt(np.mean(x * x) + 1.0)


def mean_and_variance(x):
    n = len(x)
    mean = sum(x) / n
    var = 0.0
    for i in range(n):
        var += (x[i] - mean) ** 2
    return mean, var / n


def reverse(x):
    n = len(x)
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]


def backwards(x, y):
    for i in range(len(x) - 1, -1, -1):
        y[i] = 2 * x[i]


def shifted(x, y):
    y[1:] = x[:-1]
    y[0] = 0.0


def differences(x):
    return x[1:] - x[:-1]


def clip(x, lo, hi):
    for i in range(len(x)):
        x[i] = min(max(x[i], lo), hi)


def relu_layer(W, x, b):
    n, m = W.shape
    y = np.zeros(n)
    for i in range(n):
        acc = b[i]
        for j in range(m):
            acc += W[i, j] * x[j]
        y[i] = acc if acc > 0 else 0.0
    return y


def upper_part(A):
    n, m = A.shape
    B = np.zeros_like(A)
    for i in range(n):
        for j in range(m):
            if i <= j:
                B[i, j] = A[i, j]
    return B


def forward_substitution(L: "float64[:, :]", b):
    n = L.shape[0]
    for i in range(n):
        for j in range(i):
            b[i] -= L[i, j] * b[j]
        b[i] /= L[i, i]


def running_total(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1]


def gram(A: "float64[:, :]"):
    return A.T @ A


def quadratic_form(A: "float64[:, :]", x: "float64[:]"):
    return x @ (A @ x)


def add_bias(A: "float64[:, :]", b: "float64[:]"):
    return A + b


def sum_of_rows(A: "float64[:, :]"):
    return np.sum(A, axis=0)


def every_other(x, y):
    for i in range(0, len(x), 2):
        y[i] = x[i]


def integer_halves(x: "int64[:]"):
    for i in range(len(x)):
        x[i] = x[i] // 2


def count_even(x: "int64[:]"):
    c = 0
    for i in range(len(x)):
        if x[i] % 2 == 0:
            c += 1
    return c


def distances(P):
    n, d = P.shape
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(d):
                t = P[i, k] - P[j, k]
                s += t * t
            D[i, j] = math.sqrt(s)
    return D


def batch_matmul(A, B):
    b, n, m = A.shape
    p = B.shape[2]
    C = np.zeros((b, n, p))
    for t in range(b):
        for i in range(n):
            for j in range(p):
                for k in range(m):
                    C[t, i, j] += A[t, i, k] * B[t, k, j]
    return C


def between(x, lo, hi):
    c = 0
    for v in x:
        if lo < v <= hi:
            c += 1
    return c


def swap_columns(A):
    for i in range(A.shape[0]):
        t = A[i, 0]
        A[i, 0] = A[i, 1]
        A[i, 1] = t
