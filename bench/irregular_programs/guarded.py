"""Functions with a domain under conditions, guarded loops, triangular stores, attention."""

import math

import numpy as np


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def safe_ratio(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    q = np.zeros(len(p))
    for i in range(len(p)):
        if r[i] > 0:
            q[i] = p[i] / r[i]
    return q


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
def nested_domains(a: np.ndarray, b: np.ndarray, q: np.ndarray) -> None:
    for i in range(len(a)):
        if a[i] > 0:
            if b[i] > 0:
                q[i] = math.sqrt(a[i]) / b[i]
            else:
                q[i] = math.log(a[i])
        else:
            q[i] = -1.0


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def two_guarded(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
    n = len(x)
    for i in range(n):
        if x[i] > 0.0:
            y[i] = math.sqrt(x[i])
    for i in range(n):
        if y[i] > 1.0:
            z[i] = 1.0 / y[i]


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def int_quotient(p: np.ndarray, r: np.ndarray, q: np.ndarray) -> None:
    for i in range(len(p)):
        q[i] = p[i] / r[i] if r[i] != 0 else 0.0


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def rbf(X: np.ndarray, g: float) -> np.ndarray:
    n, d = X.shape
    K = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(d):
                s += (X[i, k] - X[j, k]) ** 2
            K[i, j] = K[j, i] = math.exp(-g * s)
    return K


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    n, d = Q.shape
    m = K.shape[0]
    out = np.zeros((n, V.shape[1]))
    score = np.zeros(m)
    for i in range(n):
        top = -math.inf
        for j in range(m):
            s = 0.0
            for k in range(d):
                s += Q[i, k] * K[j, k]
            score[j] = s / math.sqrt(d)
            if score[j] > top:
                top = score[j]
        total = 0.0
        for j in range(m):
            score[j] = math.exp(score[j] - top)
            total += score[j]
        for j in range(m):
            for k in range(V.shape[1]):
                out[i, k] += score[j] / total * V[j, k]
    return out


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def attention_weights(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    n, d = Q.shape
    m = K.shape[0]
    w = np.zeros((n, m))
    for i in range(n):
        top = float("-inf")
        for j in range(m):
            s = 0.0
            for k in range(d):
                s += Q[i, k] * K[j, k]
            w[i, j] = s
            top = max(top, s)
        total = 0.0
        for j in range(m):
            w[i, j] = math.exp(w[i, j] - top)
            total += w[i, j]
        for j in range(m):
            w[i, j] /= total
    return w


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def largest(x: np.ndarray) -> float:
    m = -math.inf
    for v in x:
        if v > m:
            m = v
    return m


# expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
def step_size(kind: int, rate: float, grad: np.ndarray, seen: np.ndarray) -> np.ndarray:
    out = np.empty_like(grad)
    for i in range(len(grad)):
        if kind == 0:
            out[i] = rate * grad[i]
        elif kind <= 2:
            out[i] = rate * grad[i] / math.sqrt(seen[i])
        elif seen[i] > 0:
            out[i] = grad[i] / seen[i]
        else:
            out[i] = 0.0
    return out
