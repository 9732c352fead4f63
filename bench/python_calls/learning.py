"""Attention, layers, losses and steps of training."""

import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


def softmax_rows(x):
    shifted = x - np.max(x, axis=1, keepdims=True)
    exps = np.exp(shifted)
    return exps / np.sum(exps, axis=1, keepdims=True)


def attention(Q, K, V):
    d = Q.shape[-1]
    scores = Q @ K.T / np.sqrt(d)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ V


def causal_attention(q, k, v):
    T, d = q.shape
    out = np.zeros((T, d))
    for t in range(T):
        scores = np.zeros(t + 1)
        for s in range(t + 1):
            scores[s] = np.dot(q[t], k[s]) / np.sqrt(d)
        w = np.exp(scores - np.max(scores))
        w = w / np.sum(w)
        for s in range(t + 1):
            out[t] += w[s] * v[s]
    return out


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(var + eps) + beta


def dense_relu(x, W, b):
    z = x @ W + b
    return np.maximum(z, 0)


def sgd_logistic(X, y, w, lr):
    """One epoch of gradient descent of a logistic regression."""
    n, d = X.shape
    grad = np.zeros(d)
    for i in range(n):
        z = 0.0
        for j in range(d):
            z += X[i, j] * w[j]
        p = 1.0 / (1.0 + np.exp(-z))
        for j in range(d):
            grad[j] += (p - y[i]) * X[i, j]
    for j in range(d):
        w[j] -= lr * grad[j] / n
    return w


def adam(param, grad, m, v, t, lr=0.001, b1=0.9, b2=0.999, eps=1e-8):
    m[:] = b1 * m + (1 - b1) * grad
    v[:] = b2 * v + (1 - b2) * grad * grad
    m_hat = m / (1 - b1**t)
    v_hat = v / (1 - b2**t)
    param -= lr * m_hat / (np.sqrt(v_hat) + eps)


def cross_entropy(probs, targets):
    loss = 0.0
    for i in range(len(targets)):
        loss -= np.log(probs[i, targets[i]])
    return loss / len(targets)


def one_hot(labels, num_classes):
    out = np.zeros((len(labels), num_classes))
    out[np.arange(len(labels)), labels] = 1
    return out


def batch_norm_train(x, gamma, beta):
    N, D = x.shape
    mu = np.sum(x, axis=0) / N
    xc = x - mu
    var = np.sum(xc**2, axis=0) / N
    std = np.sqrt(var + 1e-5)
    return gamma * (xc / std) + beta, mu, var


def multi_head(x, W):
    """Project to heads: b t d, h d e -> b h t e."""
    return np.einsum("btd,hde->bhte", x, W)


def accuracy(logits, labels):
    predictions = np.argmax(logits, axis=1)
    return np.mean(predictions == labels)


def label_smoothing(logits, y, eps=0.1):
    m = logits.max(axis=1, keepdims=True)
    lse = m + np.log(np.exp(logits - m).sum(axis=1, keepdims=True))
    logp = logits - lse
    nll = -logp[np.arange(len(y)), y]
    return ((1 - eps) * nll - eps * logp.mean(axis=1)).mean()


CASES = {
    "softmax": lambda r, n: (r.normal(size=n),),
    "softmax_rows": lambda r, n: (r.normal(size=(n, 4)),),
    "attention": lambda r, n: (r.normal(size=(n, 4)), r.normal(size=(n + 1, 4)), r.normal(size=(n + 1, 2))),
    "causal_attention": lambda r, n: tuple(r.normal(size=(n, 4)) for _ in range(3)),
    "layer_norm": lambda r, n: (r.normal(size=(n, 4)), r.normal(size=4), r.normal(size=4)),
    "dense_relu": lambda r, n: (r.normal(size=(n, 3)), r.normal(size=(3, 5)), r.normal(size=5)),
    "sgd_logistic": lambda r, n: (r.normal(size=(n, 3)), r.integers(0, 2, size=n), r.normal(size=3), 0.1),
    "adam": lambda r, n: (r.normal(size=n), r.normal(size=n), r.normal(size=n), r.uniform(size=n), 2),
    "cross_entropy": lambda r, n: (r.uniform(0.1, 1, size=(n, 4)), r.integers(0, 4, size=n)),
    "one_hot": lambda r, n: (r.integers(0, 4, size=n), 4),
    "batch_norm_train": lambda r, n: (r.normal(size=(n, 3)), r.normal(size=3), r.normal(size=3)),
    "multi_head": lambda r, n: (r.normal(size=(2, n, 3)), r.normal(size=(2, 3, 4))),
    "label_smoothing": lambda r, n: (r.normal(size=(n, 4)), r.integers(0, 4, size=n)),
    "accuracy": lambda r, n: (r.normal(size=(n, 4)), r.integers(0, 4, size=n)),
}
