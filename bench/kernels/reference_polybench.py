"""What the PolyBench kernels that have a loop-free form mean, in NumPy, as one closed formula each."""

# ruff: noqa: N803, PLR0913, PLR0917, PLR2004 -- names, counts and constants are those of the C kernels

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bench.kernels.reference_small import Array, Meaning, Outputs


def _two_mm(alpha: float, beta: float, A: Array, B: Array, C: Array, D: Array) -> Outputs:
    product = alpha * (A @ B)
    return {"tmp": product, "D": beta * D + product @ C}


def _three_mm(A: Array, B: Array, C: Array, D: Array) -> Outputs:
    return {"E": A @ B, "F": C @ D, "G": (A @ B) @ (C @ D)}


def _correlation(m: int, float_n: float, data: Array) -> Outputs:
    mean = data.sum(0) / float_n
    deviation = np.sqrt(((data - mean) ** 2).sum(0) / float_n)
    stddev = np.where(deviation <= 0.1, 1.0, deviation)
    scaled = (data - mean) / (np.sqrt(float_n) * stddev)
    corr = np.where(np.eye(m) == 1.0, 1.0, scaled.T @ scaled)
    return {"data": scaled, "corr": corr, "mean": mean, "stddev": stddev}


def _covariance(float_n: float, data: Array) -> Outputs:
    mean = data.sum(0) / float_n
    centred = data - mean
    return {"data": centred, "cov": centred.T @ centred / (float_n - 1.0), "mean": mean}


def _gemver(alpha: float, beta: float, A: Array, *vectors: Array) -> Outputs:
    u1, v1, u2, v2, w, x, y, z = vectors
    updated = A + np.outer(u1, v1) + np.outer(u2, v2)
    solution = x + beta * updated.T @ y + z
    return {"A": updated, "x": solution, "w": w + alpha * updated @ solution}


def _symm(alpha: float, beta: float, C: Array, A: Array, B: Array) -> Outputs:
    symmetric = np.tril(A) + np.tril(A, -1).T
    return {"C": alpha * symmetric @ B + beta * C}


def _lower(C: Array, updated: Array) -> Outputs:
    return {"C": np.where(np.tri(len(C)) == 1.0, updated, C)}


def _doitgen(A: Array, C4: Array) -> Outputs:
    product = np.einsum("rqs,sp->rqp", A, C4)
    return {"A": product, "sum": product[-1, -1]}


def _gesummv(alpha: float, beta: float, A: Array, B: Array, x: Array) -> Outputs:
    return {"tmp": A @ x, "y": alpha * (A @ x) + beta * (B @ x)}


def _trmm(alpha: float, A: Array, B: Array) -> Any:
    return alpha * ((np.eye(len(A)) + np.tril(A, -1)).T @ B)


POLYBENCH: dict[str, Meaning] = {
    "2mm": lambda alpha, beta, A, B, C, D, **_: _two_mm(alpha, beta, A, B, C, D),
    "3mm": lambda A, B, C, D, **_: _three_mm(A, B, C, D),
    "atax": lambda A, x, **_: {"tmp": A @ x, "y": A.T @ (A @ x)},
    "bicg": lambda A, p, r, **_: {"s": A.T @ r, "q": A @ p},
    "correlation": lambda m, float_n, data, **_: _correlation(m, float_n, data),
    "covariance": lambda float_n, data, **_: _covariance(float_n, data),
    "doitgen": lambda A, C4, **_: _doitgen(A, C4),
    "gemm": lambda alpha, beta, C, A, B, **_: {"C": alpha * (A @ B) + beta * C},
    "gemver": lambda alpha, beta, A, u1, v1, u2, v2, w, x, y, z, **_: _gemver(
        alpha, beta, A, u1, v1, u2, v2, w, x, y, z
    ),
    "gesummv": lambda alpha, beta, A, B, x, **_: _gesummv(alpha, beta, A, B, x),
    "mvt": lambda x1, x2, y_1, y_2, A, **_: {"x1": x1 + A @ y_1, "x2": x2 + A.T @ y_2},
    "symm": lambda alpha, beta, C, A, B, **_: _symm(alpha, beta, C, A, B),
    "syr2k": lambda alpha, beta, C, A, B, **_: _lower(C, beta * C + alpha * (A @ B.T + B @ A.T)),
    "syrk": lambda alpha, beta, C, A, **_: _lower(C, beta * C + alpha * (A @ A.T)),
    "trmm": lambda alpha, A, B, **_: {"B": _trmm(alpha, A, B)},
}
