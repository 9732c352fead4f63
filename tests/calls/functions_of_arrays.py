"""Python functions to lift for the arrays of any library: what they take, calls tell."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


def energy(x):
    s = np.float32(0)
    for i in range(len(x) - 1):
        s += (x[i + 1] - x[i]) ** 2
    return s


def smooth(x, y):
    for i in range(1, len(x) - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def grown(a: float, x):
    t = 0.0
    for i in range(len(x)):
        x[i] = a * x[i]
        t += x[i]
    return t


def head(n: int, x):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


def total(x: "float64[:]"):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def differences(x):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = x[i] - x[i - 1]
    return y


def stretched(x, k):
    total = 0.0
    for i in range(len(x) - 1):
        d = x[i + 1] - x[i]
        total += 0.5 * k * d * d
    return total
