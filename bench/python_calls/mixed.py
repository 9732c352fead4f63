"""Functions as people mix them: tuples and dicts as arguments, texts, NaN, elements under masks, lists of rows."""

import numpy as np


def kmeans(X, centers, iterations):
    centers = centers.copy()
    labels = np.zeros(len(X), dtype=np.int64)
    for _ in range(iterations):
        for i in range(len(X)):
            labels[i] = np.argmin(((X[i] - centers) ** 2).sum(axis=1))
        for c in range(len(centers)):
            members = labels == c
            if members.any():
                centers[c] = X[members].mean(axis=0)
    return labels, centers


def perceptron(x, layers):
    h = x
    for i, (w, b) in enumerate(layers):
        h = h @ w + b
        if i < len(layers) - 1:
            h = np.maximum(h, 0)
    return {"h": h, "norm": sum(np.sum(w**2) for w, _ in layers)}


def smoothed(x, window=(1, 2, 1), mode=None):
    mode = "same" if mode is None else mode.lower()
    a, b, c = window
    y = x.copy()
    for i in range(1, len(x) - 1):
        y[i] = (a * x[i - 1] + b * x[i] + c * x[i + 1]) / (a + b + c)
    if mode == "same":
        return y
    if mode == "zero":
        return y - y[0]
    raise ValueError(mode)


def group_means(labels, values, groups):
    sums, counts = np.zeros(groups), np.zeros(groups, dtype=int)
    for label, value in zip(labels, values):
        sums[label] += value
        counts[label] += 1
    means = np.full(groups, np.nan)
    for g in range(groups):
        if counts[g] > 0:
            means[g] = sums[g] / counts[g]
    return means


def moved(points, rotation, shift):
    return np.array([rotation @ p + shift for p in points])


def extent_of_rows(x):
    lows, highs = [], []
    for row in x:
        inner = row[np.abs(row) < 1]
        lows.append(row.min())
        highs.append(inner.sum() / max(len(inner), 1))
    return np.array(lows), np.array(highs)


def coarsened(image):
    k = 2
    h, w = image.shape
    out = np.empty((h // k, w // k))
    for i in range(h // k):
        for j in range(w // k):
            out[i, j] = np.max(image[i * k : (i + 1) * k, j * k : (j + 1) * k])
    return out


CASES = {
    "coarsened": lambda r, n: (r.normal(size=(n, n + 1)),),
    "kmeans": lambda r, n: (r.normal(size=(n, 2)), r.normal(size=(3, 2)), 2),
    "perceptron": lambda r, n: (
        r.normal(size=(n, 3)),
        ((r.normal(size=(3, 4)), r.normal(size=4)), (r.normal(size=(4, 2)), r.normal(size=2))),
    ),
    "smoothed": lambda r, n: (r.normal(size=n), (1, 3.5, 2), ("Zero", None)[n % 2]),
    "group_means": lambda r, n: (r.integers(0, 4, size=n), r.normal(size=n), 5),
    "moved": lambda r, n: (r.normal(size=(n, 3)), r.normal(size=(3, 3)), r.normal(size=3)),
    "extent_of_rows": lambda r, n: (r.normal(size=(n, 4)),),
}
