"""Sparse and dense linear algebra, integration, interpolation, graphs."""

import numpy as np


def csr_matvec(data, indices, indptr, x):
    n = len(indptr) - 1
    y = np.zeros(n)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]
    return y


def coo_matvec(rows, cols, vals, x, n):
    y = np.zeros(n)
    for k in range(len(vals)):
        y[rows[k]] += vals[k] * x[cols[k]]
    return y


def tridiagonal_matvec(lower, diag, upper, x):
    n = len(diag)
    y = diag * x
    y[1:] += lower * x[:-1]
    y[:-1] += upper * x[1:]
    return y


def jacobi_iteration(A, b, x):
    n = len(b)
    x_new = np.zeros(n)
    for i in range(n):
        s = 0.0
        for j in range(n):
            if j != i:
                s += A[i, j] * x[j]
        x_new[i] = (b[i] - s) / A[i, i]
    return x_new


def power_iteration(A, steps):
    n = A.shape[0]
    v = np.ones(n) / np.sqrt(n)
    for _ in range(steps):
        w = A @ v
        v = w / np.linalg.norm(w)
    return v


def trapezoid(y, x):
    total = 0.0
    for i in range(1, len(x)):
        total += 0.5 * (y[i] + y[i - 1]) * (x[i] - x[i - 1])
    return total


def forward_substitution(L, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        x[i] = (b[i] - np.dot(L[i, :i], x[:i])) / L[i, i]
    return x


def interpolate(x, xp, fp):
    out = np.empty(len(x))
    for i in range(len(x)):
        j = 0
        while j < len(xp) - 2 and xp[j + 1] < x[i]:
            j += 1
        t = (x[i] - xp[j]) / (xp[j + 1] - xp[j])
        out[i] = fp[j] * (1 - t) + fp[j + 1] * t
    return out


def pagerank_step(links, rank, damping=0.85):
    n = len(rank)
    new_rank = np.ones(n) * (1 - damping) / n
    out_degree = links.sum(axis=1)
    for i in range(n):
        for j in range(n):
            if links[j, i] != 0:
                new_rank[i] += damping * rank[j] / out_degree[j]
    return new_rank


def polynomial_value(coefficients, x):
    result = 0.0
    for c in reversed(coefficients):
        result = result * x + c
    return result


def evaluate_grid(a, b, n):
    x = np.linspace(a, b, n)
    return x**3 - 2 * x + 1


def frobenius(A, B=None):
    if B is None:
        return np.sqrt(np.sum(A * A))
    return np.sqrt(np.sum((A - B) ** 2))


def vandermonde(x, degree):
    V = np.ones((len(x), degree + 1))
    for j in range(1, degree + 1):
        V[:, j] = V[:, j - 1] * x
    return V


def normals(vertices):
    n = np.cross(vertices[1:-1] - vertices[:-2], vertices[2:] - vertices[:-2])
    return n / np.linalg.norm(n, axis=1, keepdims=True)


CASES = {
    "csr_matvec": lambda r, n: (
        r.normal(size=2 * n),
        r.integers(0, n, size=2 * n),
        np.arange(0, 2 * n + 1, 2),
        r.normal(size=n),
    ),
    "coo_matvec": lambda r, n: (
        r.integers(0, n, size=3 * n),
        r.integers(0, n, size=3 * n),
        r.normal(size=3 * n),
        r.normal(size=n),
        n,
    ),
    "tridiagonal_matvec": lambda r, n: (
        r.normal(size=n - 1),
        r.normal(size=n),
        r.normal(size=n - 1),
        r.normal(size=n),
    ),
    "jacobi_iteration": lambda r, n: (r.normal(size=(n, n)), r.normal(size=n), r.normal(size=n)),
    "power_iteration": lambda r, n: (r.uniform(size=(n, n)), 3),
    "trapezoid": lambda r, n: (r.normal(size=n), np.sort(r.normal(size=n))),
    "forward_substitution": lambda r, n: (np.tril(r.normal(size=(n, n))) + 3 * np.eye(n), r.normal(size=n)),
    "interpolate": lambda r, n: (r.uniform(size=n), np.linspace(0, 1, 6), r.normal(size=6)),
    "pagerank_step": lambda r, n: (r.integers(0, 2, size=(n, n)) + np.eye(n), np.ones(n) / n),
    "polynomial_value": lambda r, n: (r.normal(size=n), 0.7),
    "evaluate_grid": lambda r, n: (0.0, 2.0, n + 1),
    "frobenius": lambda r, n: (r.normal(size=(n, n + 1)),),
    "vandermonde": lambda r, n: (r.normal(size=n), 3),
    "normals": lambda r, n: (r.normal(size=(n, 3)),),
}
