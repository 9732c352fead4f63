"""Small programs as summaries, one for each thing that deriving does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.synthesis.notation_reader import Loop, summary

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary

_THIRD = "0.25 * ({0}[i - 1] + {0}[i] + {0}[i + 1])"
_JACOBI = [
    f"B_1[i] = {_THIRD.format('A_c')} if 1 <= i < n - 1 else B_c[i]",
    f"A_1[i] = {_THIRD.format('B_1')} if 1 <= i < n - 1 else A_c[i]",
]

PROGRAMS: dict[str, tuple[str, list[str | Loop], str]] = {
    "gemm": (
        "m, n, p, alpha: f64, beta: f64, C: f64[m, n], A: f64[m, p], B: f64[p, n]",
        ["C_1[i, j] = beta * C[i, j] + sum(alpha * A[i, k] * B[k, j] for k in range(p))"],
        "C_1",
    ),
    "add": ("n, a: i32[n], b: i32[n], c: i32[n]", ["c_1[i] = a[i] + b[i]"], "c_1"),
    "copy": ("n, a: i32[n], b: i32[n]", ["b_1[i] = a[i]"], "b_1"),
    "fill": ("a: i32[n], v: i32, n", ["a_1[i] = v"], "a_1"),
    "transpose": ("m, n, A: f64[m, n], B: f64[n, m]", ["B_1[i, j] = A[j, i]"], "B_1"),
    "dot": ("n, a: i32[n], b: i32[n], _s: i32[()]", ["s_1 = sum(a[i] * b[i] for i in range(n))"], "s_1"),
    "atax": (
        "m, n, A: f64[m, n], x: f64[n], y: f64[n]",
        ["y_1[j] = sum(A[i, j] * sum(A[i, k] * x[k] for k in range(n)) for i in range(m))"],
        "y_1",
    ),
    "rows_and_columns": (
        "m, n, A: f64[n, m], s: f64[m], q: f64[n], p: f64[m], r: f64[n]",
        ["s_1[j] = sum(r[i] * A[i, j] for i in range(n))", "q_1[i] = sum(A[i, j] * p[j] for j in range(m))"],
        "s_1 q_1",
    ),
    "outer": ("m, n, A: f64[m, n], u: f64[m], v: f64[n]", ["A_1[i, j] = A[i, j] + u[i] * v[j]"], "A_1"),
    "covariance": (
        "m, n, d: f64[n, m], c: f64[m, m], mean: f64[m]",
        [
            "mean_1[j] = sum(d[i, j] for i in range(n)) / value(n)",
            "d_1[i, j] = d[i, j] - mean_1[j]",
            "c_1[i, j] = sum(d_1[k, i] * d_1[k, j] for k in range(n))",
        ],
        "d_1 c_1 mean_1",
    ),
    "variance": (
        "m, n, d: f64[n, m], v: f64[m], mean: f64[m]",
        ["v_1[j] = sum((d[i, j] - mean[j]) * (d[i, j] - mean[j]) for i in range(n))"],
        "v_1",
    ),
    "lower_update": (
        "n, m, alpha: f64, C: f64[n, n], A: f64[n, m], B: f64[n, m]",
        [(
            "C_1[i, j] = C[i, j] + sum(A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k] for k in range(m)) "
            "if j <= i else C[i, j]"
        )],
        "C_1",
    ),
    "triangular_product": (
        "m, n, A: f64[m, m], B: f64[m, n]",
        ["B_1[i, j] = B[i, j] + sum(A[k, i] * B[k, j] for k in range(i + 1, m))"],
        "B_1",
    ),
    "mirrored": (
        "m, n, A: f64[m, m], B: f64[m, n], C: f64[m, n]",
        ["C_1[i, j] = sum((A[i, k] if k <= i else A[k, i]) * B[k, j] for k in range(m))"],
        "C_1",
    ),
    "batched": (
        "r, q, p, A: f64[r, q, p], C: f64[p, p]",
        ["A_1[x, y, z] = sum(A[x, y, s] * C[s, z] for s in range(p))"],
        "A_1",
    ),
    "three_factors": (
        "m, n, p, A: f64[m, n, p], B: f64[n, m], C: f64[p, m], D: f64[m, m]",
        ["D_1[i, j] = sum(A[i, k, l] * B[k, j] * C[l, j] for k in range(n) for l in range(p))"],
        "D_1",
    ),
    "all_but_last": ("n, a: i32[n], e: i32", ["a_1[i] = a[i] + a[i] * e if i < n - 1 else a[i]"], "a_1"),
    "shift": ("n, a: f64[n], b: f64[n]", ["b_1[i] = a[i + 1] * 2.0 if i < n - 1 else a[0]"], "b_1"),
    "reverse": ("n, a: f64[n], b: f64[n]", ["b_1[i] = 2.0 * a[n - 1 - i]"], "b_1"),
    "every_other": ("n, a: f64[2 * n], b: f64[n]", ["b_1[i] = a[2 * i] + a[2 * i + 1]"], "b_1"),
    "every_other_store": ("n, a: f64[n]", ["a_1[i] = 1.0 if 1 <= i < n - 1 and i % 2 == 1 else a[i]"], "a_1"),
    "diagonal": ("n, A: f64[n, n], b: f64[n]", ["b_1[i] = A[i, i] + 1.0"], "b_1"),
    "eye": ("n, A: f64[n, n]", ["A_1[i, j] = 1.0 if i == j else 0.0"], "A_1"),
    "lower": ("n, A: f64[n, n], B: f64[n, n]", ["B_1[i, j] = A[i, j] if j <= i else 0.0"], "B_1"),
    "transposed_below": (
        "n, P: f64[n, n], Q: f64[n, n]",
        ["P_1[i, j] = Q[i, j] * P[j, i] if j < i else P[i, j]"],
        "P_1",
    ),
    "convolve": (
        "n, m, y: f64[n], x: f64[n + m - 1], c: f64[m]",
        ["y_1[i] = sum(c[j] * x[i + j] for j in range(m))"],
        "y_1",
    ),
    "running_sum": ("n, a: f64[n], s: f64[n]", ["s_1[i] = sum(a[k] for k in range(i + 1))"], "s_1"),
    "sum_after": ("n, a: f64[n], s: f64[n]", ["s_1[i] = sum(a[k] for k in range(i, n))"], "s_1"),
    "sum_before": ("n, a: f64[n], s: f64[n]", ["s_1[i] = sum(a[k] for k in range(i))"], "s_1"),
    "greatest": ("n, a: i32[n], _m: i32[()]", ["m_1 = max(a[i] for i in range(n))"], "m_1"),
    "guarded": (
        "m, n, a: i32[m, n], b: i32[m, n], o: i32[m, n]",
        ["o_1[i, j] = where(b[i, j] == 0, 32, tdiv(32 - a[i, j], b[i, j]))"],
        "o_1",
    ),
    "blend": ("n, a: i32[n], b: i32[n], w: i32, o: i32[n]", ["o_1[i] = w * a[i] + (32 - w) * b[i]"], "o_1"),
    "lesser": ("n, a: i32[n], b: i32[n], o: i32[n]", ["o_1[i] = where(a[i] < b[i], a[i], b[i])"], "o_1"),
    "shared": (
        "n, a: f64[n], b: f64[n], c: f64[n]",
        ["b_1[i] = (a[i] + 1.0) * 2.0",
         "c_1[i] = (a[i] + 1.0) * 3.0"],
        "b_1 c_1",
    ),
    "twice": (
        "n, a: f64[n], b: f64[n], c: f64[n]",
        ["b_1[i] = a[i] + 1.0",
         "c_1[i] = a[i] + 1.0"],
        "b_1 c_1",
    ),
    "old_and_new": ("n, a: f64[n], b: f64[n]", ["a_1[i] = a[i] + 1.0", "b_1[i] = a_1[i] * a[i]"], "a_1 b_1"),
    "keyword": ("n, lambda_: f64[n], sum: f64[n]", ["sum_1[i] = lambda_[i] * 2.0"], "sum_1"),
    "stencil": (
        "steps, n, A: f64[n], B: f64[n]",
        [Loop("t", "0", "steps", {"A": ("A", "A_c", "A_1"), "B": ("B", "B_c", "B_1")}, [*_JACOBI])],
        "A_c B_c",
    ),
    "substitution": (
        "n, L: f64[n, n], x: f64[n], b: f64[n]",
        [
            Loop(
                "i", "0", "n", {"x": ("x", "x_c", "x_1")},
                ["x_1[k] = (b[i] - sum(L[i, j] * x_c[j] for j in range(i))) / L[i, i] if k == i else x_c[k]"],
            )
        ],
        "x_c",
    ),
    "empty_at_first": (
        "n, A: f64[n, n], x: f64[n]",
        [
            Loop(
                "i", "0", "n", {"x": ("x", "x_c", "x_1")},
                ["x_1[k] = x_c[k] + sum(A[i, j] * x_c[j] for j in range(i - 1)) if k == i else x_c[k]"],
            )
        ],
        "x_c",
    ),
    "relaxation": (
        "n, P: i32[n, n]",
        [Loop("k", "0", "n", {"P": ("P", "P_c", "P_1")}, ["P_1[i, j] = min(P_c[i, j], P_c[i, k] + P_c[k, j])"])],
        "P_c",
    ),
    "nested_loops": (
        "steps, n, A: f64[n]",
        [
            Loop(
                "t", "0", "steps", {"A": ("A", "A_c", "A_d")},
                [
                    Loop(
                        "i", "1", "n", {"A": ("A_c", "A_d", "A_1")},
                        ["A_1[j] = A_d[j - 1] + A_d[j] if j == i else A_d[j]"],
                    )
                ],
            )
        ],
        "A_c",
    ),
}  # fmt: skip


def program(name: str, least: int = 1) -> Summary:
    """Return the summary of a program of the table."""
    parameters, lines, outputs = PROGRAMS[name]
    return summary(name, parameters, lines, outputs, least=least)
