"""What PolyBench's solvers, recurrences and stencils mean, in NumPy.

Solvers are stated by the equations that they solve, not by their elimination; where a kernel is defined by its steps
(stencils in time, dynamic programming) the steps are vectorised over everything that is parallel.
"""

# ruff: noqa: N803, N806, PLR0913, PLR0917, PLR2004 -- names, counts and constants are those of the C kernels

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bench.kernels.reference_small import Array, Meaning, Outputs


def _line_solve(ahead: float, centre: float, right: Array) -> tuple[Array, Array, Array]:
    """Solve the tridiagonal systems of one adi sweep, one per row of ``right``, with boundary values 1.

    Returns the factors ``p`` and ``q`` at 0 .. n-2 and the solution at 1 .. n-2.
    """
    rows, inner = right.shape
    p, q = np.zeros((rows, inner + 1)), np.ones((rows, inner + 1))
    for j in range(1, inner + 1):
        pivot = ahead * p[:, j - 1] + centre
        p[:, j] = -ahead / pivot
        q[:, j] = (right[:, j - 1] - ahead * q[:, j - 1]) / pivot
    system = centre * np.eye(inner) + ahead * (np.eye(inner, k=1) + np.eye(inner, k=-1))
    boundary = ahead * (np.eye(inner)[0] + np.eye(inner)[-1])
    return p, q, np.linalg.solve(system, (right - boundary).T).T


def _explicit(field: Array, weight: float) -> Array:
    """Apply ``-w, 1 + 2 w, -w`` across the columns of ``field``, at its inner cells."""
    inner = field[1:-1, 1:-1]
    return np.asarray(-weight * (field[1:-1, :-2] + field[1:-1, 2:]) + (1 + 2 * weight) * inner)


def _adi(tsteps: int, n: int, u: Array, v: Array, p: Array, q: Array) -> Outputs:
    u, v, p, q = u.copy(), v.copy(), p.copy(), q.copy()
    half = n * n / tsteps
    for _ in range(tsteps):
        for source, sink, weight, ahead in ((u, v.T, -half / 2, -half), (v.T, u, -half, -half / 2)):
            p[1:-1, :-1], q[1:-1, :-1], inner = _line_solve(ahead, 1 - 2 * ahead, _explicit(source, weight).T)
            sink[1:-1, 0] = sink[1:-1, -1] = 1.0
            sink[1:-1, 1:-1] = inner
    return {"u": u, "v": v, "p": p, "q": q}


def _cholesky(n: int, A: Array) -> Outputs:
    return {"A": np.where(np.tri(n) == 1.0, np.linalg.cholesky(A), A)}


def _delayed(lines: Array, by: int) -> Array:
    """Shift every line right by ``by`` cells, zeros entering."""
    padded = np.pad(lines, ((0, 0), (by, 0)))
    return np.asarray(padded[:, : lines.shape[1]])


def _recursive(lines: Array, taps: tuple[float, float, float], b1: float, b2: float) -> Array:
    """Filter every line by ``taps`` at delays 0, 1, 2 and feed the last two results back."""
    result = sum(tap * _delayed(lines, delay) for delay, tap in enumerate(taps))
    feed = np.array(result)
    for j in range(1, feed.shape[1]):
        feed[:, j] += b1 * feed[:, j - 1] + (b2 * feed[:, j - 2] if j > 1 else 0.0)
    return feed


def _deriche(alpha: float, image: Array) -> Outputs:
    decay = np.exp(-alpha)
    k = (1 - decay) ** 2 / (1 + 2 * alpha * decay - np.exp(2 * alpha))
    rising = (k, k * decay * (alpha - 1), 0.0)
    falling = (0.0, k * decay * (alpha + 1), -k * np.exp(-2 * alpha))
    feedback = (2.0**-alpha, -np.exp(-2 * alpha))
    both = image.astype(np.float64)
    forward = backward = both
    for _ in range(2):  # along the rows, then, transposed, along the columns
        forward = _recursive(both, rising, *feedback).T
        backward = _recursive(both[:, ::-1], falling, *feedback)[:, ::-1].T
        both = forward + backward
    return {"imgOut": both, "y1": forward, "y2": backward}


def _durbin(n: int, r: Array) -> Outputs:
    column = np.concatenate([[1.0], r[:-1]])
    lag = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return {"y": np.linalg.solve(column[lag], -r)}


def _fdtd_2d(ex: Array, ey: Array, hz: Array, fict: Array) -> Outputs:
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for driven in fict:
        ey[0] = driven
        ey[1:] -= 0.5 * np.diff(hz, axis=0)
        ex[:, 1:] -= 0.5 * np.diff(hz, axis=1)
        hz[:-1, :-1] -= 0.7 * (np.diff(ex, axis=1)[:-1] + np.diff(ey, axis=0)[:, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def _floyd_warshall(n: int, path: Array) -> Outputs:
    for k in range(n):
        path = np.minimum(path, path[:, k : k + 1] + path[k])
    return {"path": path}


def _gramschmidt(A: Array, R: Array) -> Outputs:
    q, r = np.linalg.qr(A)
    sign = np.sign(np.diag(r))
    q, r = q * sign, r * sign[:, None]
    return {"A": q * np.diag(r), "R": np.triu(r) + np.tril(R, -1), "Q": q}


def _smoothed(field: Array, centre: float, neighbour: float) -> Array:
    """Weigh the inner cells by ``centre`` and their neighbours along each axis by ``neighbour``; keep the boundary."""
    inner = (slice(1, -1),) * field.ndim
    total = centre * field[inner]
    for axis in range(field.ndim):
        for ends in (slice(None, -2), slice(2, None)):
            total = total + neighbour * field[(*inner[:axis], ends, *inner[axis + 1 :])]
    result = field.copy()
    result[inner] = total
    return result


def _alternate(tsteps: int, A: Array, B: Array, centre: float, neighbour: float) -> Outputs:
    """Step B from A and A from B; each keeps its own boundary."""
    A, B = A.copy(), B.copy()
    inner = (slice(1, -1),) * A.ndim
    for _ in range(tsteps):
        B[inner] = _smoothed(A, centre, neighbour)[inner]
        A[inner] = _smoothed(B, centre, neighbour)[inner]
    return {"A": A, "B": B}


def _lu(A: Array) -> Array:
    """Eliminate without pivoting, one rank-1 update of the trailing block per column."""
    A = A.copy()
    for k in range(len(A)):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A


def _ludcmp(n: int, A: Array, b: Array) -> Outputs:
    factors = _lu(A)
    return {"A": factors, "y": np.linalg.solve(np.tril(factors, -1) + np.eye(n), b), "x": np.linalg.solve(A, b)}


def _nussinov(n: int, seq: Array, table: Array) -> Outputs:
    table = table.copy()
    for distance in range(1, n):
        for i in range(n - distance):
            j = i + distance
            paired = int(distance > 1 and int(seq[i]) + int(seq[j]) == 3)
            splits = table[i, i + 1 : j] + table[i + 2 : j + 1, j]
            ends = (table[i, j], table[i, j - 1], table[i + 1, j], table[i + 1, j - 1] + paired)
            table[i, j] = max(*ends, *splits.tolist())
    return {"table": table}


def _seidel_2d(tsteps: int, n: int, A: Array) -> Outputs:
    A = A.copy()
    for _ in range(tsteps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = A[i - 1 : i + 2, j - 1 : j + 2].mean()
    return {"A": A}


SOLVERS: dict[str, Meaning] = {
    "adi": lambda tsteps, n, u, v, p, q, **_: _adi(tsteps, n, u, v, p, q),
    "cholesky": lambda n, A, **_: _cholesky(n, A),
    "deriche": lambda alpha, imgIn, **_: _deriche(alpha, imgIn),
    "durbin": lambda n, r, **_: _durbin(n, r),
    "fdtd-2d": lambda ex, ey, hz, fict, **_: _fdtd_2d(ex, ey, hz, fict),
    "floyd-warshall": lambda n, path, **_: _floyd_warshall(n, path),
    "gramschmidt": lambda A, R, **_: _gramschmidt(A, R),
    "heat-3d": lambda tsteps, A, B, **_: _alternate(tsteps, A, B, 0.25, 0.125),
    "jacobi-1d": lambda tsteps, A, B, **_: _alternate(tsteps, A, B, 0.33333, 0.33333),
    "jacobi-2d": lambda tsteps, A, B, **_: _alternate(tsteps, A, B, 0.2, 0.2),
    "lu": lambda A, **_: {"A": _lu(A)},
    "ludcmp": lambda n, A, b, **_: _ludcmp(n, A, b),
    "nussinov": lambda n, seq, table, **_: _nussinov(n, seq, table),
    "seidel-2d": lambda tsteps, n, A, **_: _seidel_2d(tsteps, n, A),
    "trisolv": lambda L, b, **_: {"x": np.linalg.solve(np.tril(L), b)},
}
