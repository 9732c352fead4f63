"""Loops of which data say how long they run: Newton, bisection, power iteration, sweeps until nothing changes."""

import numpy as np


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def newton_sqrt(a: float, tol: float, max_it: int):
    x = a
    err = 1e30
    it = 0
    while err > tol and it < max_it:
        following = 0.5 * (x + a / x)
        err = abs(following - x)
        x = following
        it += 1
    return x


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def bisect(lo: float, hi: float, tol: float):
    while hi - lo > tol:
        mid = 0.5 * (lo + hi)
        if mid * mid - 2.0 > 0.0:
            hi = mid
        else:
            lo = mid
    return lo


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def halley(x: float):
    while True:
        f = x * x * x - 2.0
        d = f / (3.0 * x * x)
        x -= d
        if abs(d) < 1e-12:
            break
    return x


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c refused TL305
def gcd(a: int, b: int):
    while b:
        a, b = b, a % b
    return a


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def collatz(n: int):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def power_iteration(A: "float64[:, :]", v: "float64[:]", tol: float, max_it: int):
    diff = 1.0
    it = 0
    while diff > tol and it < max_it:
        product = A @ v
        w = product / np.sqrt((product * product).sum())
        diff = np.abs(w - v).sum()
        v[:] = w
        it += 1
    return it


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def jacobi(A: np.ndarray, b: np.ndarray, x: np.ndarray, tol: float):
    n = len(b)
    for _ in range(100):
        y = np.zeros(n)
        for i in range(n):
            s = 0.0
            for j in range(n):
                if j != i:
                    s += A[i, j] * x[j]
            y[i] = (b[i] - s) / A[i, i]
        change = 0.0
        for i in range(n):
            change += abs(y[i] - x[i])
        for i in range(n):
            x[i] = y[i]
        if change < tol:
            break


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def heat(u: np.ndarray, eps: float, max_it: int):
    for _ in range(max_it):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        d = np.max(np.abs(v - u))
        u[:, :] = v
        if d < eps:
            break


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def escape(c: float, max_it: int):
    z = 0.0
    k = 0
    while z * z < 4.0 and k < max_it:
        z = z * z + c
        k += 1
    return k


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def damp(x: "float64[:]", tol: float):
    rounds = 0
    while x[0] > tol:
        for i in range(len(x)):
            x[i] *= 0.5
        rounds += 1
    return rounds


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c refused TL406
def square_roots(a: "float64[:]", r: "float64[:]"):
    for i in range(len(a)):
        x = 1.0
        for _ in range(50):
            better = 0.5 * (x + a[i] / x)
            if abs(better - x) < 1e-14:
                break
            x = better
        r[i] = x
