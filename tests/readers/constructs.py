"""What Python has, in small functions: read literally, run, and compared with the functions themselves."""

import math
from math import sqrt

import numpy as np

SCALE = 3


def last_first(x: "float64[:]"):
    x[-1] = x[0] + x[-2]


def corner(A: "float64[:, :]"):
    A[-1, -2] += A[0, -1]


def down(x: "float64[:]", y: "float64[:]"):
    for i in range(len(x) - 1, -1, -1):
        y[i] = x[i] * i


def steps(x: "float64[:]"):
    for i in range(1, len(x), 3):
        x[i] = -x[i]


def while_counts(x: "float64[:]", n: int):
    i = 0
    while i < n:
        x[i] *= SCALE
        i += 1


def skips(x: "float64[:]"):
    s = 0.0
    for v in x:
        if v < 0:
            continue
        s += v
    return s


def chained(x: "float64[:]", low: float, high: float):
    c = 0
    for v in x:
        if low <= v < high and not v == 1.0 or v > 100:
            c += 1
    return c


def operands(x: "float64[:]", y: "float64[:]"):
    for i in range(len(x)):
        x[i] = (x[i] and y[i]) + (y[i] or 2.0)


def choices(x: "float64[:]"):
    for i in range(len(x)):
        x[i] = 1 if x[i] > 0 else -x[i] if i > 1 else 2.5


def floors(x: list[int], y: list[int]):
    for i in range(len(x)):
        y[i] = x[i] // 3 - x[i] % 5 + (x[i] % -4) * (x[i] // -2)


def wraps(a: "int8[:]", b: "uint8[:]"):
    for i in range(len(a)):
        a[i] = a[i] * a[i] + 100
        b[i] = b[i] - 7


def bits(a: "int32[:]", b: "uint16[:]"):
    for i in range(len(a)):
        a[i] = (a[i] & 6) | (a[i] ^ 3)
        b[i] = ~b[i]


def singles(x: "float32[:]", y: "float64[:]"):
    for i in range(len(x)):
        x[i] = x[i] * 1.1 + 2
        y[i] = x[i] + y[i]


def to_integers(x: "float64[:]", k: "int32[:]"):
    for i in range(len(x)):
        k[i] = x[i] * 10


def rounds(x: "float64[:]", k: "int64[:]"):
    for i in range(len(x)):
        k[i] = int(x[i] * 4) + round(x[i] * 3) + math.floor(x[i]) - math.ceil(x[i] * 2)


def powers(x: "float64[:]", k: "int64[:]"):
    for i in range(len(x)):
        x[i] = x[i] ** 2 + 2.0 ** x[i] + abs(x[i]) ** 0.5
        k[i] = k[i] ** 3


def extremes(x: "float64[:]", k: "int64[:]"):
    for i in range(len(x)):
        x[i] = max(min(x[i], 1.5), -1)
        k[i] = min(k[i], i, 4)


def roots(x: "float64[:]"):
    for i in range(len(x)):
        x[i] = sqrt(abs(x[i])) + math.exp(-abs(x[i]))


def unpacked(A: "float64[:, :]"):
    n, m = A.shape
    a, b = 0.0, 1.0
    for i in range(n):
        for j in range(m):
            a, b = b, a + A[i, j]
    return a, b


def views(A: "float64[:, :]"):
    row = A[1]
    column = A[:, 0]
    row[0] = 5.0
    column[2] = row[1]


def slices(x: "float64[:]", y: "float64[:]"):
    y[1:-1] = x[2:] - x[:-2]
    x[::2] = 0.0
    x[1:] = x[:-1]


def reversed_rows(x: "float64[:]"):
    return x[::-1] + 1.0


def whole(A: "float64[:, :]", x: "float64[:]"):
    A += x
    B = A * 2 - x[None, :]
    A[:, :] = B.T.T / 3
    return np.where(B > 0, B, 0.5)


def truths(x: "float64[:]", y: "float64[:]"):
    both = (x > 0) & (y > 0)
    x[both] = 9.0
    y[~both] += 1.0
    return both


def reduced(A: "float64[:, :]"):
    return A.sum(axis=0), A.max(axis=1), np.mean(A), A.min()


def products(A: "float64[:, :]", x: "float64[:]"):
    return A @ x, np.dot(x, x), np.outer(x, x)


def made(n: int, x: "float64[:]"):
    a = np.ones((n, 2))
    e = np.eye(n)
    k = np.arange(n)
    z = np.zeros_like(x)
    return a, e + k, np.full(n, 2.5), z


def lists(xs: list[float], rows: list[list[float]]):
    doubled = [2 * v for v in xs]
    table = [[v + w for w in xs] for v in doubled]
    rows[0][-1] = sum(xs) + sum(v * v for v in doubled)
    return table


def any_all(xs: list[float]):
    return (1 if any(v > 1 for v in xs) else 0) + (2 if all(v < 2 for v in xs) else 0)


def paired(xs: list[float], ys: list[float]):
    s = 0.0
    for i, (a, b) in enumerate(zip(xs, ys)):
        s += i * a - b
    return s


def backwards(xs: list[float]):
    s = 0.0
    for v in reversed(xs):
        s = 0.5 * s + v
    return s


def written(x: "float64[:]"):
    for k, w in ((0, 2), (1, -3)):
        x[k] *= w


def clipped(v, low=0.0):
    if v < low:
        return low
    return v


def filled(x, value):
    for i in range(len(x)):
        x[i] = value


def calls(x: "float64[:]", y: "float64[:]"):
    filled(y, 2.0)
    for i in range(len(x)):
        x[i] = clipped(x[i]) + clipped(x[i], low=-1.0)


def two_kinds(n: int):
    total = 0
    for i in range(n):
        total += i
    return total / 2


def scattered(xs: list[float], out: list[float]):
    for i in range(len(xs)):
        out[i] = out[i] + xs[len(xs) - 1 - i]


def counted(A: "int64[:, :]"):
    return np.count_nonzero(A), np.any(A > 3), np.all(A < 5)


def spread(A: "float64[:, :]"):
    return np.var(A, axis=0), np.std(A)


def bound_again(x: "float64[:]", n: int):
    x = x * 2
    u = x + 1
    for k in range(n):
        v = u - k
        v = v * 0.5
        if k % 2 == 0:
            u = v
    return u


def places_exchanged(x: "float64[:]", y: "float64[:]", n: int):
    u, v = x + 1, y + 2
    for k in range(n):
        v[1:] = u[:-1]
        u, v = v, u
    return u - v


def kinds_of_floats(x: "float64[:]", y: "float32[:]"):
    n = 0
    for v in x:
        n += math.isnan(v) + math.isinf(v) + math.isfinite(v)
    return n, np.isnan(y), np.isfinite(x)


def no_numbers_replaced(x: "float64[:]"):
    x[np.isnan(x)] = 0.0
    x[np.isinf(x) | np.isnan(x)] += 1.0


def places_of_extremes(A: "float64[:, :]", x: "int32[:]"):
    return np.argmin(A, axis=1), A.argmax(0), x.argmin()


def running(A: "int32[:, :]", x: "float32[:]"):
    return A.cumsum(axis=1), np.cumprod(x)


def turned(A: "float64[:, :]", x: "float64[:]", k: int):
    return np.roll(x, k), np.roll(A, 1, axis=0), np.flip(A), np.diff(x)


def shown_flipped(x: "float64[:]"):
    y = np.flip(x)
    x[0] = 5.0
    return y + 1


def side_by_side(x: "float64[:]", y: "int64[:]"):
    return np.concatenate((x, y, x)), np.stack((x, x + 1), axis=1)


def summed_products(A: "float64[:, :]", B: "float64[:, :]"):
    return np.einsum("ij,jk->ki", A, B), np.einsum("ij->", A)


def counts_of(x: "uint8[:]", k: int):
    return np.bincount(x, minlength=256)


def counts_within(x: "float64[:]", n: int):
    counts = np.zeros(n)
    for v in x:
        k = int(v)
        if k >= 0 and k < n:
            counts[k] += 1
    return counts


def evenly_spaced(a: float, n: int):
    return np.linspace(a, 2, n)


TABLE = [1.0, 2.0, 4.0]
PAIRS = np.array([[1, 2], [3, 4]], dtype=np.int32)


def tables_read(x: "float64[:]", k: int):
    for i in range(len(x)):
        x[i] += TABLE[i % 3] * PAIRS[1, i % 2]


def appended_items(x: "float64[:]", n: int):
    squares, flags = [], 0
    for i in range(n, 0, -2):
        flags += i
        squares.append(i * i)
    return squares, flags


def appended_rows(A: "float64[:, :]"):
    rows = []
    for i in range(A.shape[0]):
        row = []
        for j in range(A.shape[1]):
            row.append(A[i, j] + j)
        rows.append(row)
    return np.array(rows)


def first_above(a, limit):
    for i in range(len(a)):
        if a[i] > limit:
            return i
    return -1


def by_closures(x: "float64[:]", y: "float64[:]", k: int):
    def moved(v):
        return v + k

    square = lambda v: moved(v) * v
    k = k + 1
    for i in range(len(x)):
        y[i] = square(x[i]) + first_above(x, y[i])


def counted_from_the_end(x: "float64[:]", y: "float64[:]", k: int):
    y[:-k] = x[k:]
    return x[-k:].sum(), x[: len(x) // 2]


def counts_in_bins(x: "float64[:]", n: int):
    counts, edges = np.histogram(x, bins=n, range=(-2, 3))
    return counts, edges[1:]


def items_at_places(x: "float64[:]", A: "float32[:, :]", k: "uint8[:]"):
    for i in range(len(k)):
        k[i] = k[i] % 2
    return x[k] * 2, A[k], np.take(A, k, axis=1)
