"""Linear recurrences in Python."""

import numpy as np


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def ema(x: "float[n]", alpha: float):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = alpha * x[i] + (1 - alpha) * y[i - 1]
    return y


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def linear(a: "float[n]", b: "float[n]", h: float):
    out = np.zeros(len(a))
    for t in range(len(a)):
        h = a[t] * h + b[t]
        out[t] = h
    return out


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def discounted(rewards: "float[n]", gamma: float):
    out = np.zeros_like(rewards)
    running = 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        out[t] = running
    return out


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def fibonacci_like(x: "float[n]", p: float, q: float):
    for i in range(2, len(x)):
        x[i] += p * x[i - 1] + q * x[i - 2]


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
def every_other(a: "float[n]", b: "float[n]"):
    for i in range(2, a.shape[0]):
        a[i] = a[i - 2] + b[i]


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def horner(c: "list[float]", x: float) -> float:
    s = 0.0
    for v in c:
        s = s * x + v
    return s


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def smooth_columns(A: "float[m,n]", k: float):
    for i in range(1, A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = k * A[i, j] + (1 - k) * A[i - 1, j]


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def smooth_rows(A: "float[m,n]", k: float):
    for i in range(A.shape[0]):
        for j in range(1, A.shape[1]):
            A[i, j] = k * A[i, j] + (1 - k) * A[i, j - 1]


# expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
def hidden_states(W: "float[m,m]", U: "float[t,m]", H: "float[t,m]"):
    h = np.zeros(W.shape[0])
    for t in range(U.shape[0]):
        h = W @ h + U[t]
        H[t] = h


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def oscillator(n: int, c: float, s: float, out: "float[n]"):
    u, v = 1.0, 0.0
    for k in range(n):
        out[k] = u
        u, v = c * u - s * v, s * u + c * v


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def seasonal_sums(y: "float[n]", e: "float[n]"):
    for t in range(12, len(y)):
        y[t] = y[t - 12] + e[t]


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
def weekly_levels(y: "float[n]", e: "float[n]"):
    for t in range(7, len(y)):
        y[t] = y[t - 7] + e[t]


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
def stereo(samples: "float[n]"):
    for i in range(2, samples.shape[0]):
        samples[i] += samples[i - 2]


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def thirds_back(x: "int[n]", d: "int[n]"):
    for i in range(len(x) - 4, -1, -1):
        x[i] = x[i + 3] - d[i]


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
def alternating(x: "float[n]"):
    t = np.empty_like(x)
    t[0] = x[0]
    for i in range(1, len(x)):
        t[i] = x[i] - t[i - 1]
    return t


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
def spline_slopes(y: "float[n]", s: "float[n]"):
    for i in range(1, len(y)):
        s[i] = 2 * (y[i] - y[i - 1]) - s[i - 1]


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
def lower_columns(L: "float[n,n]", X: "float[n,n]"):
    n = L.shape[0]
    for j in range(n):
        for i in range(j + 1, n):
            L[i, j] = L[i - 1, j] + X[i, j]
