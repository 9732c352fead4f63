"""Functions over lists and nested lists of numbers."""

import math


def total(values: list[float]) -> float:
    s = 0.0
    for v in values:
        s += v
    return s


def weighted(values: list[float], weights: list[float]) -> float:
    s = 0.0
    for v, w in zip(values, weights):
        s += v * w
    return s


def largest(values: list[float]) -> float:
    best = values[0]
    for v in values:
        best = max(best, v)
    return best


def scale(values: list[float], factor: float) -> None:
    for i in range(len(values)):
        values[i] *= factor


def product(A: list[list[float]], B: list[list[float]], C: list[list[float]]) -> None:
    for i in range(len(A)):
        for j in range(len(B[0])):
            C[i][j] = 0.0
            for k in range(len(B)):
                C[i][j] += A[i][k] * B[k][j]


def add_matrices(A: list[list[float]], B: list[list[float]], C: list[list[float]]) -> None:
    for i in range(len(A)):
        for j in range(len(A[i])):
            C[i][j] = A[i][j] + B[i][j]


def polynomial(coefficients: list[float], x: float) -> float:
    y = 0.0
    p = 1.0
    for c in coefficients:
        y += c * p
        p *= x
    return y


def count_positive(values: list[float]) -> int:
    count = 0
    for v in values:
        if v > 0:
            count += 1
    return count


def skip_negative(values: list[float]) -> float:
    s = 0.0
    for v in values:
        if v < 0:
            continue
        s += v
    return s


def alternating(values: list[float]) -> float:
    s = 0.0
    for i, v in enumerate(values):
        if i % 2 == 0:
            s += v
        else:
            s -= v
    return s


def palindromic(values: list[int]) -> int:
    n = len(values)
    misses = 0
    for i in range(n):
        if values[i] != values[n - 1 - i]:
            misses += 1
    return misses


def distance(p: list[float], q: list[float]) -> float:
    s = 0.0
    for i in range(len(p)):
        s += (p[i] - q[i]) ** 2
    return math.sqrt(s)


def diagonal(A: list[list[float]], d: list[float]) -> None:
    for i in range(len(d)):
        d[i] = A[i][i]


def identity(A: list[list[float]]) -> None:
    n = len(A)
    for i in range(n):
        for j in range(n):
            A[i][j] = 1.0 if i == j else 0.0
