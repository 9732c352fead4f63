"""Idioms of Python and of NumPy whose meaning is their own: masks, views, truth values, orders of evaluation."""

import math

import numpy as np


def leaky_of(v):
    if v > 1.0:
        return 1.0
    elif v < 0.0:
        return 0.1 * v
    return v


def leaky(x: "float64[:]", y: "float64[:]"):
    for i in range(len(x)):
        y[i] = leaky_of(x[i])


def clip_by_masks(x: "float64[:]", low: float, high: float):
    x[x < low] = low
    x[x > high] = high


def shrink_outside(A: "float64[:, :]", limit: float):
    outside = np.abs(A) > limit
    A[outside] *= 0.5


def differences(x: "float64[:]", y: "float64[:]"):
    return x[:, None] - y[None, :]


def centre_rows(A: "float64[:, :]"):
    return A - A.mean(axis=1)[:, None]


def quantise(x: "float64[:]", step: float):
    return np.floor(x / step).astype(np.int32)


def first_nonzero(x: "float64[:]", y: "float64[:]", z: "float64[:]"):
    for i in range(len(x)):
        z[i] = x[i] or y[i]


def votes(x: list[float], y: list[float]):
    n = 0
    for a, b in zip(x, y):
        n += (a > 0) + (b > 0)
    return n


def agree(x: "float64[:]", y: "float64[:]"):
    return np.sum((x > 0) ^ (y > 0))


def wrap_angles(x: list[float]):
    for i in range(len(x)):
        x[i] = (x[i] + 0.5) % 1.0 - 0.5


def quotients(x: list[int], q: list[int], r: list[int]):
    for i in range(len(x)):
        q[i], r[i] = divmod(x[i], 7)


def reverse_in_place(x: "float64[:]"):
    n = len(x)
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]


def two_names(n: int):
    a = b = np.zeros(n)
    for i in range(n):
        a[i] += i
        b[i] *= 2.0
    return a


def through_views(x: "float64[:]"):
    inner = x[1:-1]
    inner += 1.0
    return inner * 2.0 - 1.0


def halves(n: int):
    a = [0] * n
    for i in range(n):
        a[i] = i / 2
    return a


def brightness(image: "uint8[:, :]", offset: "uint8[:, :]"):
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            image[i, j] = min(image[i, j], 200) - offset[i, j] // 2


def rising_pairs(x: "float64[:]", y: "float64[:]"):
    n = len(x)
    for i in range(n):
        if i + 1 < n and x[i + 1] > x[i]:
            y[i] = math.sqrt(x[i + 1] - x[i])


def from_a_start(x: list[int]):
    return sum((v * v for v in x), 100)


def softmax_kept(x: "float32[:, :]"):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def standardised(x: "float64[:, :]", eps: float):
    return (x - x.mean(axis=0)) / (np.std(x, axis=0) + eps)


def windows_of_channels(image: "float64[:, :, :]", taps: "float64[:, :, :]"):
    out = np.zeros((image.shape[0] - 2, image.shape[1]))
    for i in range(image.shape[0] - 2):
        out[i, :] = np.sum(image[i : i + 3, :, :] * taps[:, :, np.newaxis, 0], axis=(0, 2))
    return out


def covariances(data: "float64[:, :]"):
    columns = data.shape[1]
    cov = np.zeros((columns, columns))
    for i in range(columns):
        cov[i:columns, i] = cov[i, i:columns] = data[:, i] @ data[:, i:columns]
    return cov


def next_generation(grid):
    rows, columns = grid.shape
    new = np.zeros_like(grid)
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            alive = 0
            for di, dj in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
                alive += grid[i + di, j + dj]
            new[i, j] = 1 if alive == 3 or (grid[i, j] == 1 and alive == 2) else 0
    return new


def gray_of_pixels(image):
    height, width, _ = image.shape
    out = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            red, green, blue = image[y, x]
            out[y, x] = 0.299 * red + 0.587 * green + 0.114 * blue
    return out


def row_norms(rows):
    out = [0.0] * len(rows)
    for i, row in enumerate(rows):
        total = 0.0
        for v in row:
            total += v * v
        out[i] = math.sqrt(total)
    return out


def shares(xs):
    total = sum(xs)
    return [x / total for x in xs]


def spread(xs):
    least, most = math.inf, -float("inf")
    for v in xs:
        least = min(least, v)
        most = max(most, v)
    return most - least


def relax_twice(a, b, steps):
    for t in range(steps):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a[1:-1] = 0.5 * (b[:-2] + b[2:])
