"""Scans that are no sums, in Python as people write it."""

import numpy as np


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def forward_fill(x: np.ndarray, y: np.ndarray):
    last = 0.0
    for i in range(len(x)):
        if x[i] == x[i]:
            last = x[i]
        y[i] = last


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def hold_last(valid: "int[n]", x: "float[n]"):
    out = np.empty(len(x))
    last = -1.0
    for i, v in enumerate(valid):
        if v:
            last = x[i]
        out[i] = last
    return out


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def fill_zeros(x: "int[n]"):
    for i in range(1, x.shape[0]):
        if x[i] == 0:
            x[i] = x[i - 1]


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c loop-free
def max_drawdown(price: np.ndarray) -> float:
    peak = price[0]
    worst = 0.0
    for p in price:
        peak = max(peak, p)
        worst = max(worst, peak - p)
    return worst


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def kadane(a: np.ndarray) -> float:
    best = a[0]
    here = a[0]
    for i in range(1, len(a)):
        here = max(a[i], here + a[i])
        best = max(best, here)
    return best


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def largest_sum(values: "list[float]"):
    best = 0.0
    total = 0.0
    for v in values:
        total = max(0.0, total + v)
        best = max(best, total)
    return best


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def running_argmax(x: "float[n]", where: "int[n]"):
    at = 0
    for i in range(len(x)):
        if x[i] > x[at]:
            at = i
        where[i] = at


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def up_down(steps: "int[n]", state: "int[n]"):
    s = 0
    for i in range(len(steps)):
        s = min(7, max(0, s + steps[i]))
        state[i] = s


# expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
def reset_sum(x: "float[n]", reset: "int[n]", out: "float[n]"):
    acc = 0.0
    for i in range(len(x)):
        acc = x[i] if reset[i] else acc + x[i]
        out[i] = acc


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def previous_spike(x: "float[n]", threshold: float, since: "int[n]"):
    last = -1
    for i in range(len(x)):
        if x[i] > threshold:
            last = i
        since[i] = i - last


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def fill_rows(A: "float[m,n]", B: "float[m,n]"):
    for i in range(A.shape[0]):
        last = 0.0
        for j in range(A.shape[1]):
            if A[i, j] >= 0.0:
                last = A[i, j]
            B[i, j] = last


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def since_event(x: "float[n]", limit: float):
    ago = np.empty(len(x), dtype=np.int64)
    k = len(x)
    for i in range(len(x)):
        k = 0 if x[i] > limit else k + 1
        ago[i] = k
    return ago


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def consecutive(hits: "bool[n]"):
    out = np.zeros(len(hits), dtype=np.int64)
    run = 0
    for i, hit in enumerate(hits):
        if hit:
            run += 1
        else:
            run = 0
        out[i] = run
    return out


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def plateau_lengths(x: "int[n]"):
    out = np.ones(len(x), dtype=np.int64)
    r = 1
    for i in range(1, len(x)):
        if x[i] == x[i - 1]:
            r += 1
        else:
            r = 1
        out[i] = r
    return out


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def silence(x: "float[n]", quiet: float):
    frames = np.zeros(len(x), dtype=np.int64)
    k = 0
    for i in range(len(x)):
        k += 1
        if abs(x[i]) > quiet:
            k = 0
        frames[i] = k
    return frames


# expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
def next_mark(mark: "bool[n]"):
    far = np.empty(len(mark), dtype=np.int64)
    k = 10**6
    for i in range(len(mark) - 1, -1, -1):
        k = 0 if mark[i] else k + 1
        far[i] = k
    return far
