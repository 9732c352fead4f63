"""Python functions to lift whose types annotations, names and use tell."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Single = "float32[:]"
Count = int


def named(x: Vector, y: Single, n: Count):
    z = np.zeros(len(x))
    for i in range(n):
        z[i] = x[i] * y[i]
    return z


def of_jaxtyping(x: Float[np.ndarray, "n"], A: Float32[Array, "n d"], places: Int[np.ndarray, "k"]):
    y = np.zeros(len(places), dtype=x.dtype)
    for k in range(len(places)):
        y[k] = x[places[k]] * A[places[k], 0]
    return y


def scattered(x, places, y):
    for k in range(len(places)):
        x[places[k]] += y[k]


def counted(labels, n):
    counts = np.zeros(n, dtype=int)
    for label in labels:
        counts[label] += 1
    return counts


Half = np.float32


def filled(n, dtype=np.float64):
    y = np.zeros(n, dtype=dtype)
    for i in range(n):
        y[i] = i * 2
    return y


def converted(x, T, *, k=2):
    s = T(0)
    for i in range(len(x)):
        s += T(x[i] * k)
    return s


def of_global_type(x):
    y = np.zeros(len(x), dtype=Half)
    for i in range(len(x)):
        y[i] = x[i]
    return y


def polynomial(z, a):
    y = np.zeros(len(z), dtype=z.dtype)
    for i in range(len(z)):
        y[i] = a * z[i] * z[i] + 1
    return y


def grown(z, a):
    for i in range(len(z)):
        z[i] *= a


def powers(x):
    return x**0, x**2, x[0] ** 0


def power_by_a_number_of_numpy(x):
    return x ** np.int64(2)


def written(x):
    return np.array([x[0], 0.1])


def written_as_single(x):
    return np.array([x[0], 0.1], dtype=np.float32)


def rounded(x):
    return np.floor(x)


def averaged(x):
    return x.mean()


def smooth(x, mode="same"):
    n = len(x)
    if mode == "same":
        y = np.zeros(n)
        for i in range(1, n - 1):
            y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
        return y
    elif mode == "valid":
        y = np.zeros(n - 2)
        for i in range(n - 2):
            y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3
        return y
    raise ValueError("mode")


def total(x, how: str = "sum"):
    s = 0.0
    for v in x:
        s += v
    return s / len(x) if how == "mean" else s


def extreme(x, how):
    m = x[0]
    for v in x:
        match how:
            case "max" | "MAX":
                m = max(m, v)
            case _:
                m = min(m, v)
    return m


def ending(y, x, kind):
    if kind.lower() in ("wrap", "periodic"):
        y[0], y[-1] = x[-1], x[0]
    else:
        y[0], y[-1] = 0.0, 0.0


def padded(x, kind="wrap"):
    y = np.empty(len(x) + 2)
    y[1:-1] = x
    ending(y, x, kind)
    return y


def length(x, norm=None):
    s = 0.0
    for v in x:
        s += v * v
    return np.sqrt(s) if norm == "ortho" else s


def product(a, x, trans=False):
    m, n = a.shape
    if trans:
        y = np.zeros(n)
        for i in range(m):
            for j in range(n):
                y[j] += a[i, j] * x[i]
    else:
        y = np.zeros(m)
        for i in range(m):
            for j in range(n):
                y[i] += a[i, j] * x[j]
    return y


def repeated(x, factor: int, order=1):
    out = np.zeros(len(x) * factor)
    for i, v in enumerate(x):
        out[i * factor] = v if order == 1 else v**order
    return out
