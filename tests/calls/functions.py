"""Python functions to lift while they are live, as users write them."""

# mypy: ignore-errors

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from tensorlift import lift

import tests.calls.helpers as other
from tests.calls.helpers import grown

if TYPE_CHECKING:
    from collections.abc import Callable

Array = Any
SHIFT = 3
TABLE = np.arange(3.0)


def gemm(A: float64[:, :], B: float64[:, :], C: float64[:, :], alpha: float = 2.0) -> None:
    """Add a product."""
    n, m = C.shape
    for i in range(n):
        for j in range(m):
            for k in range(A.shape[1]):
                C[i, j] += alpha * A[i, k] * B[k, j]


def first(x):
    s = x[0]
    for i in range(1, len(x)):
        s += x[i]
    return s


def total(x):
    s = 0.0
    for v in x:
        s += v
    return s


def shifted(x, y):
    for i in range(len(x)):
        y[i] = helper(x[i]) + SHIFT
    return y


def helper(v):
    return math.sqrt(v * v) * SHIFT


def several(x: float64[:]):
    y = np.zeros(len(x))
    large = 0
    for i in range(len(x)):
        y[i] = 2 * x[i]
        if x[i] > 2:
            large += 1
    return y, large, x[0], x[0] > 1


def is_rising(x: float64[:]):
    falls = 0
    for i in range(1, len(x)):
        if x[i] < x[i - 1]:
            falls += 1
    return falls == 0


def scale_rows(A: list[list[float]], factors: list[float]) -> None:
    for i in range(len(A)):
        for j in range(len(A[0])):
            A[i][j] *= factors[i]


def smooth(x: float64[:], y: float64[:]) -> None:
    for i in range(1, len(x) - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def multiplier(factor: float) -> Callable[[Any], None]:
    def multiply(x):
        for i in range(len(x)):
            x[i] *= factor

    return multiply


def uses_another_module(x):
    for i in range(len(x)):
        x[i] = grown(x[i])


def calls_through_a_module(x):
    for i in range(len(x)):
        x[i] = other.grown(x[i])


def reads_a_global_array(x):
    for i in range(3):
        x[i] = TABLE[i]


def decorated(offset):
    @lift(to="numpy")
    def moved(x):
        for i in range(len(x)):
            x[i] += offset

    return moved


def needs_an_integer(x, k):
    t = k + k
    for i in range(len(x)):
        x[i] = x[i] * (t // 2 & 1)


def halve_until_one(x):
    i = 0
    while x[i] > 1:
        x[i] /= 2
        i = int(x[i] > 9)
        assert x[i] >= 0


def yields(x):
    for v in x:
        yield v


async def waits(x):
    x[0] = 1


class Owner:
    """Holds a method."""

    def method(self, x):
        x[0] = 1


def gathered(x: float64[:], idx):
    y = np.zeros(len(idx))
    for i in range(len(idx)):
        y[i] = x[idx[i]]
    return y


def halved(x, n: int):
    s = 0.0
    for i in range(n // 2):
        s += x[2 * i]
    return s


square = lambda x: x * x  # noqa: E731 - a lambda is refused


def scaled(x: float32[:], factor: float):
    return x * factor


def thrice(count: int):
    return count * 3


def scale_complex(x: "complex128[:]", a: complex):
    for i in range(len(x)):
        x[i] *= a
    return x, x[0] * 1j, x.real


def stretched(a: complex, x: "float64[:]"):
    for i in range(len(x)):
        x[i] = a.real * x[i] + a.imag


def expectation(psi, h):  # nothing says what is complex, but for a call
    e = 0j
    for i in range(len(psi)):
        for j in range(len(psi)):
            e += psi[i].conjugate() * h[i, j] * psi[j]
    return e.real, np.angle(psi)


def escapes(c, steps: int):
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    for _ in range(steps):
        z = z * z + c  # no other name shows the array
        count += np.abs(z) < 2
    return count


def shown(c):
    z = c.copy()
    w = z
    z = z * z
    return w, z, 1j


def spectrum(t: "float64[:]"):
    z = np.zeros(len(t), dtype=complex)
    for i in range(len(t)):
        z[i] = np.exp(1j * t[i])
    return z


def far_from(A, B=None, weights=None):
    if weights is None:
        weights = np.ones(len(A))
    if B is None:
        return np.sum(A * A * weights)
    return np.sum((A - B) ** 2 * weights)


def scaled_or_not(x, scale=None):
    for i in range(len(x)):
        if scale is not None:
            x[i] *= scale
        else:
            x[i] += 1


def through_a_helper(x, shift=None):
    return shifted_or_not(x[0]) + shifted_or_not(x[1], shift)


def shifted_or_not(v, shift=None):
    return v if shift is None else v + shift


def bound_in_a_loop(n, w=None):
    for i in range(n):
        if w is None:
            w = 2.0
    return w
