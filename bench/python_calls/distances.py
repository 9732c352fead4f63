"""Distances, neighbours and clusters."""

import math

import numpy as np


def pairwise_distances(X, Y):
    """Euclidean distances between all rows of two arrays."""
    n, m = X.shape[0], Y.shape[0]
    D = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            D[i, j] = np.linalg.norm(X[i] - Y[j])
    return D


def nearest_centroid(points, centroids):
    labels = np.zeros(len(points), dtype=np.int64)
    for i, p in enumerate(points):
        labels[i] = np.argmin(np.sum((centroids - p) ** 2, axis=1))
    return labels


def cosine_similarity(a, b):
    dot = 0.0
    norm_a = 0.0
    norm_b = 0.0
    for x, y in zip(a, b):
        dot += x * y
        norm_a += x**2
        norm_b += y**2
    return dot / (math.sqrt(norm_a) * math.sqrt(norm_b))


def haversine(lat1, lon1, lat2, lon2):
    R = 6371.0
    lat1, lon1, lat2, lon2 = np.radians(lat1), np.radians(lon1), np.radians(lat2), np.radians(lon2)
    dlat = lat2 - lat1
    dlon = lon2 - lon1
    a = np.sin(dlat / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin(dlon / 2) ** 2
    return 2 * R * np.arcsin(np.sqrt(a))


def manhattan(x, y):
    return np.abs(x[:, None, :] - y[None, :, :]).sum(axis=-1)


def farthest_point(points, start):
    best = -1.0
    best_index = 0
    for i in range(len(points)):
        d = 0.0
        for k in range(points.shape[1]):
            diff = points[i, k] - start[k]
            d += diff * diff
        if d > best:
            best = d
            best_index = i
    return best_index


def hamming(a, b):
    if len(a) != len(b):
        raise ValueError("lengths differ")
    count = 0
    for i in range(len(a)):
        if a[i] != b[i]:
            count += 1
    return count


def update_centroids(points, labels, k):
    """One Lloyd step: means of the points of each cluster."""
    d = points.shape[1]
    sums = np.zeros((k, d))
    counts = np.zeros(k)
    for i in range(points.shape[0]):
        sums[labels[i]] += points[i]
        counts[labels[i]] += 1
    for c in range(k):
        if counts[c] > 0:
            sums[c] /= counts[c]
    return sums


CASES = {
    "pairwise_distances": lambda r, n: (r.normal(size=(n, 3)), r.normal(size=(n + 2, 3))),
    "nearest_centroid": lambda r, n: (r.normal(size=(n, 2)), r.normal(size=(4, 2))),
    "cosine_similarity": lambda r, n: (r.normal(size=n), r.normal(size=n)),
    "haversine": lambda r, n: tuple(r.uniform(-90, 90, size=n) for _ in range(4)),
    "manhattan": lambda r, n: (r.normal(size=(n, 3)), r.normal(size=(n + 1, 3))),
    "farthest_point": lambda r, n: (r.normal(size=(n, 3)), r.normal(size=3)),
    "hamming": lambda r, n: (r.integers(0, 2, size=n), r.integers(0, 2, size=n)),
    "update_centroids": lambda r, n: (r.normal(size=(n, 2)), r.integers(0, 3, size=n), 3),
}
