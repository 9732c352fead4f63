"""Programs as a hasty translator would write them, by family: right ones are proved, wrong ones rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tensorlift.proofs.failure import DIVISOR, INTERFACE, LOOP, MEMORY, OBLIGATION, UNEQUAL, UNREADABLE

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

TDIV = "def tdiv(a, b):\n    return (a - np.fmod(a, b)) // b\n\n\n"


class Family(NamedTuple):
    """A C function, the parameters of its lift, bodies that are right, and bodies that are wrong with their codes."""

    source: str
    parameters: str
    right: tuple[str, ...]
    wrong: dict[str, str]

    def program(self, body: str) -> str:
        """Return the program with a body: an expression, or statements of which the last is the result."""
        *statements, result = body.split("; ")
        lines = [line.replace("|", "\n        ") for line in (*statements, f"return {result}")]
        text = f"def f({self.parameters}):\n" + "".join(f"    {line}\n" for line in lines)
        return TDIV + text if "tdiv(" in text else text


FAMILIES = {
    "contraction": Family(
        """void f(int m, int n, int k, double a[m][k], double b[n][k], double c[m][n]) {
             for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)
               for (int l = 0; l < k; l++) c[i][j] += a[i][l] * b[j][l]; }""",
        "a, b, c",
        ("c + a @ b.T", "c + np.einsum('il,jl->ij', a, b)"),
        {
            "a @ b.T": UNEQUAL,
            "c - a @ b.T": UNEQUAL,
            "c + a @ b": OBLIGATION,
            "c + np.einsum('il,jl->ji', a, b).T.T": OBLIGATION,
            "c + np.einsum('il,lj->ij', a, b)": OBLIGATION,
            "c + np.einsum('il,jk->ij', a, b)": UNEQUAL,
            "c + a[:, 1:] @ b[:, 1:].T": UNEQUAL,
            "c + a[:, :-1] @ b[:, 1:].T": UNEQUAL,
            "c += a @ b.T; c": MEMORY,
            "(c + a @ b.T).T": INTERFACE,
        },
    ),
    "a size beside unsigned integers": Family(
        "void f(int n, unsigned a[n]) { for (int i = 0; i < n; i++) a[i] = a[i] - n; }",
        "a",
        ("a - a.shape[0]",),
        {"a + -a.shape[0]": OBLIGATION, "a - a.shape[0] - 1": UNEQUAL},
    ),
    "positions of 64 bits in 32": Family(
        "void f(long first, long n, int *a) { for (long i = first; i < first + n; i++) a[i - first] = (int)i; }",
        "first, n",
        ("np.arange(first, first + n).astype(np.int32)",),
        {"np.arange(first, first + n, dtype=np.int32)": OBLIGATION},
    ),
    "a size of 64 bits in 32": Family(
        "void f(long n, int a[n]) { for (long i = 0; i < n; i++) a[i] = a[i] + (int)n; }",
        "a",
        ("a + np.int64(a.shape[0]).astype(np.int32)",),
        {"a + a.shape[0]": OBLIGATION, "a + np.int32(a.shape[0])": OBLIGATION},
    ),
    "positions as floats": Family(
        "void f(long first, long n, float *a) { for (long i = first; i < first + n; i++) a[i - first] = i; }",
        "first, n",
        ("np.arange(first, first + n).astype(np.float32)", "(np.arange(n) + first).astype(np.float32)"),
        {"np.arange(first, first + n, dtype=np.float32)": UNREADABLE},
    ),
    "symmetric product": Family(
        """void f(int n, int m, double a[n][m], double c[n][n]) {
             for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
               c[i][j] = 0; for (int k = 0; k < m; k++) c[i][j] += a[i][k] * a[j][k] * (i + 1); } }""",
        "a",
        ("a @ a.T * np.arange(1, a.shape[0] + 1)[:, None]",),
        {
            "a @ a.T * np.arange(1, a.shape[0] + 1)": UNEQUAL,
            "a @ a.T * np.arange(a.shape[0])[:, None]": UNEQUAL,
            "a.T @ a * np.arange(1, a.shape[0] + 1)[:, None]": OBLIGATION,
            "np.einsum('ik,jk->ji', a, a) * np.arange(1, a.shape[0] + 1)": UNEQUAL,
        },
    ),
    "transpose": Family(
        """void f(int n, double a[n][n], double c[n][n]) {
             for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i][j] = a[j][n - 1 - i]; }""",
        "a",
        ("a.T[::-1].copy()", "np.flip(a.T, 0) + 0.0"),
        {
            "a.T[::-1]": MEMORY,
            "a.T.copy()": UNEQUAL,
            "a.T[:, ::-1].copy()": UNEQUAL,
            "a[::-1].copy()": UNEQUAL,
            "np.flip(a.T, 1) + 0.0": UNEQUAL,
            "np.flip(a.T) + 0.0": UNEQUAL,
            "np.transpose(a, (0, 1))[::-1].copy()": UNEQUAL,
        },
    ),
    "lower triangle": Family(
        """void f(int n, double a[n][n], double c[n][n]) {
             for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i][j] = j < i ? a[i][j] : 0; }""",
        "a",
        ("np.tril(a, -1)", "np.tril(a, k=-1)"),
        {
            "np.tril(a)": UNEQUAL,
            "np.tril(a, 1)": UNEQUAL,
            "np.triu(a, 1)": UNEQUAL,
            "np.triu(a, 1).T": UNEQUAL,
            "np.tril(a.T, -1)": UNEQUAL,
            "np.tril(a, -2)": UNEQUAL,
            "a * np.tri(a.shape[0])": UNEQUAL,
        },
    ),
    "triangle in place": Family(
        """void f(int n, double a[n][n], double x[n]) {
             for (int i = 0; i < n; i++) for (int j = i; j < n; j++) a[i][j] += x[i] * x[j]; }""",
        "a, x",
        ("a + np.triu(np.outer(x, x))",),
        {
            "a + np.outer(x, x)": UNEQUAL,
            "a + np.tril(np.outer(x, x))": UNEQUAL,
            "a + np.triu(np.outer(x, x), 1)": UNEQUAL,
            "np.triu(a + np.outer(x, x))": UNEQUAL,
        },
    ),
    "row sums": Family(
        """void f(int n, int m, double a[n][m], double s[n]) {
             for (int i = 0; i < n; i++) { s[i] = 1; for (int j = 0; j < m; j++) s[i] += a[i][j]; } }""",
        "a",
        ("1.0 + a.sum(axis=1)", "1.0 + a.sum(axis=-1)"),
        {
            "a.sum(axis=1)": UNEQUAL,
            "1.0 + a.sum(axis=0)": INTERFACE,
            "1.0 + a.sum()": INTERFACE,
            "1.0 + a[:, 1:].sum(axis=1)": UNEQUAL,
            "(1.0 + a).sum(axis=1)": UNEQUAL,
            "1.0 + a.sum(axis=1, keepdims=True)": INTERFACE,
            "1.0 + a.sum(axis=1, dtype=np.float32)": INTERFACE,
            "1.0 + a.sum(axis=1).astype(np.float32).astype(np.float64)": UNEQUAL,
        },
    ),
    "sums of squares": Family(
        """void f(int n, double a[n][n], double s[n]) {
             for (int i = 0; i < n; i++) { s[i] = 0; for (int j = 0; j < n; j++) s[i] += a[j][i] * a[j][i]; } }""",
        "a",
        ("np.sum(a**2, axis=0)",),
        {
            "np.sum(a**2, axis=1)": UNEQUAL,
            "np.sum(a, axis=0) ** 2": UNEQUAL,
            "np.einsum('ij,ji->i', a, a)": UNEQUAL,
            "np.diagonal(a.T @ a)": MEMORY,
            "np.cumsum(a**2, axis=0)[0]": UNEQUAL,
        },
    ),
    "largest": Family(
        """void f(int n, int m, double a[n][m], double s[n]) {
             for (int i = 0; i < n; i++) {
               s[i] = 0; for (int j = 0; j < m; j++) if (a[i][j] > s[i]) s[i] = a[i][j]; } }""",
        "a",
        ("np.maximum(a.max(axis=1), 0.0)", "a.max(axis=1, initial=0.0)"),
        {
            "a.max(axis=1)": UNEQUAL,
            "np.maximum(a.min(axis=1), 0.0)": UNEQUAL,
            "np.minimum(a.max(axis=1), 0.0)": UNEQUAL,
            "np.maximum(a[:, 1:].max(axis=1), 0.0)": OBLIGATION,
            "a.max(axis=1, initial=1.0)": UNEQUAL,
            "np.abs(a).max(axis=1)": UNEQUAL,
        },
    ),
    "product": Family(
        """double f(int n, double a[n]) { double p = 2; for (int i = 1; i < n; i++) p *= a[i]; return p; }""",
        "a",
        ("2.0 * a[1:].prod()", "a[1:].prod(initial=2.0)"),
        {
            "a[1:].prod()": UNEQUAL,
            "2.0 * a.prod()": UNEQUAL,
            "2.0 * a[1:].sum()": UNEQUAL,
            "2.0 * a[:-1].prod()": UNEQUAL,
        },
    ),
    "any": Family(
        """int f(int n, double a[n]) { int r = 0; for (int i = 0; i < n; i++) r = r || a[i] > 0; return r; }""",
        "a",
        ("np.any(a > 0).astype(np.int32)",),
        {
            "np.all(a > 0).astype(np.int32)": UNEQUAL,
            "np.any(a >= 0).astype(np.int32)": UNEQUAL,
            "np.any(a > 0)": INTERFACE,
            "np.sum(a > 0).astype(np.int32)": UNEQUAL,
            "(a.max() >= 0).astype(np.int32)": UNEQUAL,
        },
    ),
    "running sum": Family(
        """void f(int n, int m, double a[n][m], double c[n][m]) {
             for (int i = 0; i < n; i++) {
               double s = 0; for (int j = 0; j < m; j++) { s += a[i][j]; c[i][j] = s; } } }""",
        "a",
        ("np.cumsum(a, axis=1)",),
        {
            "np.cumsum(a, axis=0)": UNEQUAL,
            "np.cumsum(a)": UNREADABLE,
            "np.cumsum(a[:, ::-1], axis=1)": UNEQUAL,
            "np.cumsum(a[:, ::-1], axis=1)[:, ::-1].copy()": UNEQUAL,
            "np.cumsum(a, axis=1) - a": UNEQUAL,
            "np.cumprod(a, axis=1)": UNEQUAL,
            "np.cumsum(np.cumsum(a, axis=0), axis=1)": UNEQUAL,
        },
    ),
    "exclusive scan": Family(
        """void f(int n, double a[n], double c[n]) {
             double s = 0; for (int i = 0; i < n; i++) { c[i] = s; s += a[i]; } }""",
        "a",
        ("np.concatenate((np.zeros(1), np.cumsum(a)[:-1]))",),
        {
            "np.cumsum(a)": UNEQUAL,
            "np.concatenate((np.ones(1), np.cumsum(a)[:-1]))": UNEQUAL,
            "np.concatenate((np.zeros(1), np.cumsum(a[1:])))": UNEQUAL,
            "np.concatenate((np.cumsum(a)[:-1], np.zeros(1)))": UNEQUAL,
        },
    ),
    "suffix sum": Family(
        """void f(int n, double a[n]) { for (int i = n - 2; i >= 0; i--) a[i] += a[i + 1]; }""",
        "a",
        ("np.cumsum(a[::-1])[::-1]",),
        {
            "np.cumsum(a)": UNEQUAL,
            "np.cumsum(a)[::-1]": UNEQUAL,
            "np.cumsum(a[::-1])": UNEQUAL,
            "a = a.copy(); a[:-1] += a[1:]; a": UNEQUAL,
        },
    ),
    "running maximum": Family(
        """void f(int n, double a[n], double c[n]) {
             double m = a[0]; for (int i = 0; i < n; i++) { if (a[i] > m) m = a[i]; c[i] = m; } }""",
        "a",
        ("np.maximum.accumulate(a)",),
        {
            "np.minimum.accumulate(a)": UNEQUAL,
            "np.maximum(a[0], a)": UNEQUAL,
            "c = a.copy(); c[1:] = np.maximum(a[:-1], a[1:]); c": UNEQUAL,
            "np.maximum.accumulate(a[::-1])[::-1].copy()": UNEQUAL,
            "np.maximum(np.maximum.accumulate(a), 0.0)": UNEQUAL,
        },
    ),
    "recurrence": Family(
        """void f(int n, double a[n], double b[n]) { for (int i = 1; i < n; i++) b[i] = 0.5 * b[i - 1] + a[i]; }""",
        "a, b",
        ("b = b.copy(); for i in range(1, a.shape[0]):|b[i] = 0.5 * b[i - 1] + a[i]; b",),
        {
            "b = b.copy(); b[1:] = 0.5 * b[:-1] + a[1:]; b": UNEQUAL,
            "b = b.copy(); for i in range(a.shape[0]):|b[i] = 0.5 * b[i - 1] + a[i]; b": LOOP,
            "b = b.copy(); for i in range(2, a.shape[0]):|b[i] = 0.5 * b[i - 1] + a[i]; b": LOOP,
            "b = b.copy(); for i in range(1, a.shape[0]):|b[i] = 0.5 * b[i] + a[i]; b": LOOP,
            "b = b.copy(); for i in range(1, a.shape[0]):|b[i] = 0.5 * b[i - 1] + a[i - 1]; b": LOOP,
            "for i in range(1, a.shape[0]):|b[i] = 0.5 * b[i - 1] + a[i]; b": MEMORY,
        },
    ),
    "stencil": Family(
        """void f(int n, double a[n], double b[n]) {
             for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + 2 * a[i] + a[i + 1]; }""",
        "a, b",
        ("b = b.copy(); b[1:-1] = a[:-2] + 2.0 * a[1:-1] + a[2:]; b",),
        {
            "b[1:-1] = a[:-2] + 2.0 * a[1:-1] + a[2:]; b": MEMORY,
            "b = b.copy(); b[1:-1] = a[:-2] + 2.0 * a[:-2] + a[2:]; b": UNEQUAL,
            "b = b.copy(); b[1:] = a[:-1] + 2.0 * a[1:]; b": UNEQUAL,
            "b = np.zeros_like(b); b[1:-1] = a[:-2] + 2.0 * a[1:-1] + a[2:]; b": UNEQUAL,
            "b = b.copy(); b[1:-1] = a[:-1] + 2.0 * a[1:-1] + a[1:]; b": OBLIGATION,
            "b = np.empty_like(b); b[1:-1] = a[:-2] + 2.0 * a[1:-1] + a[2:]; b": INTERFACE,
            "b = a.copy(); b[1:-1] = a[:-2] + 2.0 * a[1:-1] + a[2:]; b": UNEQUAL,
        },
    ),
    "shift in place": Family(
        """void f(int n, double a[n]) { for (int i = 0; i < n - 1; i++) a[i] = a[i + 1]; }""",
        "a",
        ("a = a.copy(); a[:-1] = a[1:]; a",),
        {
            "a = a.copy(); a[1:] = a[:-1]; a": UNEQUAL,
            "np.concatenate((a[1:], a[:1]))": UNEQUAL,
            "a[:-1] = a[1:]; a": MEMORY,
            "a[1:].copy()": INTERFACE,
        },
    ),
    "smear": Family(
        """void f(int n, double a[n]) { for (int i = 1; i < n; i++) a[i] = a[i - 1]; }""",
        "a",
        ("a = a.copy(); for i in range(1, a.shape[0]):|a[i] = a[i - 1]; a",),
        {
            "a = a.copy(); a[1:] = a[:-1]; a": UNEQUAL,
            "a = a.copy(); for i in range(1, a.shape[0]):|a[i] = a[0]; a": LOOP,
            "a = a.copy(); for i in range(1, a.shape[0]):|a[1:] = a[:-1]; a": LOOP,
            "a = a.copy(); for i in range(1, a.shape[0]):|a[i:] = a[i - 1]; a": LOOP,
        },
    ),
    "order of stores": Family(
        """void f(int n, double a[n], double b[n]) {
             for (int i = 0; i < n; i++) { a[i] = a[i] + 1; b[i] = a[i] * 2; } }""",
        "a",
        ("a = a + 1.0; b = a * 2.0; a, b",),
        {
            "b = a * 2.0; a = a + 1.0; a, b": UNEQUAL,
            "a = a + 1.0; b = a * 2.0; b, a": UNEQUAL,
            "a += 1.0; b = a * 2.0; a, b": MEMORY,
            "a = a + 1.0; b = a; b *= 2.0; a, b": UNREADABLE,
            "a = a + 1.0; b = a[:]; a, b": UNEQUAL,
        },
    ),
    "every other": Family(
        """void f(int n, double a[n]) { for (int i = 1; i < n; i += 2) a[i] = 0; }""",
        "a",
        ("a = a.copy(); a[1::2] = 0.0; a",),
        {
            "a = a.copy(); a[::2] = 0.0; a": UNEQUAL,
            "a = a.copy(); a[1::3] = 0.0; a": UNEQUAL,
            "a = a.copy(); a[1:] = 0.0; a": UNEQUAL,
            "a[1::2] = 0.0; a": MEMORY,
        },
    ),
    "division of integers": Family(
        """void f(int n, int a[n], int c[n]) { for (int i = 0; i < n; i++) c[i] = a[i] / 3; }""",
        "a",
        ("tdiv(a, 3)", "(a + (a < 0) * (np.int32(3) - 1)) // np.int32(3)"),
        {
            "(a + (a < 0) * (np.int32(3) - 1)) // np.int32(2)": UNEQUAL,
            "(a + (a < 0) * (np.int32(3) - 2)) // np.int32(3)": UNEQUAL,
            "(a + (a > 0) * (np.int32(3) - 1)) // np.int32(3)": UNEQUAL,
            "(a - (a < 0) * (np.int32(3) - 1)) // np.int32(3)": UNEQUAL,
            "(a + (a < 1) * (np.int32(-3) - 1)) // np.int32(-3)": UNEQUAL,
            "(a + (a < 0) * (3 - 1)) // 3": INTERFACE,
            "a // 3": UNEQUAL,
            "(a / 3).astype(np.int64)": INTERFACE,
            "np.floor(a / 3.0).astype(np.int32)": UNEQUAL,
            "a >> 1": UNEQUAL,
            "(a + 1) // 3": UNEQUAL,
            "tdiv(a, -3)": UNEQUAL,
        },
    ),
    "remainder": Family(
        """void f(int n, int a[n], int c[n]) { for (int i = 0; i < n; i++) c[i] = a[i] % 8; }""",
        "a",
        ("np.fmod(a, 8)",),
        {"a % 8": UNEQUAL, "a & 7": UNEQUAL, "np.abs(a) % 8": UNEQUAL, "a - a // 8 * 8": UNEQUAL},
    ),
    "unsigned bytes": Family(
        """void f(int n, unsigned char a[n], unsigned char b[n], unsigned char c[n]) {
             for (int i = 0; i < n; i++) c[i] = (a[i] + b[i]) / 2; }""",
        "a, b",
        ("tdiv(a.astype(np.int32) + b.astype(np.int32), 2).astype(np.uint8)",),
        {
            "(a + b) // 2": UNEQUAL,
            "a // 2 + b // 2": UNEQUAL,
            "tdiv((a + b).astype(np.int32), 2).astype(np.uint8)": UNEQUAL,
            "tdiv(a.astype(np.int32) + b, 2).astype(np.int8)": INTERFACE,
            "tdiv(a.astype(np.int8) + b.astype(np.int32), 2).astype(np.uint8)": UNEQUAL,
        },
    ),
    "unsigned difference": Family(
        """void f(int n, unsigned a[n], unsigned b[n], int c[n]) {
             for (int i = 0; i < n; i++) c[i] = a[i] - b[i] > 0; }""",
        "a, b",
        ("(a - b > 0).astype(np.int32)",),
        {
            "(a > b).astype(np.int32)": UNEQUAL,
            "(a.astype(np.int32) - b.astype(np.int32) > 0).astype(np.int32)": UNEQUAL,
            "(a.astype(np.int64) - b.astype(np.int64) > 0).astype(np.int32)": UNEQUAL,
        },
    ),
    "narrow sum": Family(
        """void f(int n, short a[n], short *s) { short t = 0; for (int i = 0; i < n; i++) t += a[i]; *s = t; }""",
        "a",
        ("a.sum(dtype=np.int16)", "np.sum(a, dtype=np.int64).astype(np.int16)"),
        {
            "a.sum()": INTERFACE,
            "np.maximum(a.sum(), 0).astype(np.int16)": UNEQUAL,
            "a.sum(dtype=np.int8).astype(np.int16)": UNEQUAL,
        },
    ),
    "shift of integers": Family(
        """void f(int n, unsigned a[n], unsigned c[n]) { for (int i = 0; i < n; i++) c[i] = a[i] >> 3; }""",
        "a",
        ("a >> 3", "a // 8"),
        {"(a.astype(np.int32) >> 3).astype(np.uint32)": UNEQUAL, "a << 3": UNEQUAL, "a >> 2": UNEQUAL},
    ),
    "masked division": Family(
        """void f(int n, double a[n], double b[n], double c[n]) {
             for (int i = 0; i < n; i++) if (b[i] > 0) c[i] = a[i] / b[i]; }""",
        "a, b, c",
        ("np.where(b > 0, a / np.where(b > 0, b, 1.0), c)",),
        {
            "np.where(b != 0, a / np.where(b != 0, b, 1.0), c)": UNEQUAL,
            "np.where(b > 0, a / b, 0.0)": UNEQUAL,
            "(b > 0) * (a / b) + (b <= 0) * c": DIVISOR,
            "np.where(b > 0, a, c * b) / b": UNEQUAL,
            "np.where(b < 0, a / np.where(b < 0, b, 1.0), c)": UNEQUAL,
            "c[b > 0] = a[b > 0] / b[b > 0]; c": UNREADABLE,
        },
    ),
    "short circuit": Family(
        """void f(int n, int a[n], int b[n], int c[n]) {
             for (int i = 0; i < n; i++) c[i] = b[i] != 0 && a[i] / b[i] > 2; }""",
        "a, b",
        ("np.where(b != 0, tdiv(a, np.where(b != 0, b, 1)) > 2, False).astype(np.int32)",),
        {
            "((b != 0) & (tdiv(a, b) > 2)).astype(np.int32)": DIVISOR,
            "np.where(b != 0, tdiv(a, b) > 2, False).astype(np.int32)": DIVISOR,
            "np.where(b != 0, tdiv(a, np.where(b != 0, b, 1)) > 2, True).astype(np.int32)": UNEQUAL,
            "np.where(b != 0, tdiv(a, np.where(b != 0, b, 1)) >= 2, False).astype(np.int32)": UNEQUAL,
            "np.where(a != 0, tdiv(a, np.where(b != 0, b, 1)) > 2, False).astype(np.int32)": UNEQUAL,
            "(tdiv(a, np.where(b != 0, b, 1)) > 2).astype(np.int32)": UNEQUAL,
            "np.where(b != 0, tdiv(a, np.where(a != 0, b, 1)) > 2, False).astype(np.int32)": DIVISOR,
        },
    ),
    "clip": Family(
        """void f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = a[i] < 0 ? 0 : a[i] > 1 ? 1 : a[i]; }""",
        "a",
        ("np.where(a < 0, 0.0, np.where(a > 1, 1.0, a))",),
        {
            "np.where(a > 1, 0.0, np.where(a < 0, 1.0, a))": UNEQUAL,
            "np.where(a < 0, a, np.where(a > 1, 1.0, a))": UNEQUAL,
            "np.where(a < 0, 0.0, np.minimum(a, 0.0))": UNEQUAL,
            "np.where(a < 0, 0.0, 1.0)": UNEQUAL,
        },
    ),
    "broadcast": Family(
        """void f(int n, double x[n], double y[n], double c[n][n]) {
             for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i][j] = x[i] - y[j]; }""",
        "x, y",
        ("x[:, None] - y", "np.subtract.outer(x, y)"),
        {
            "x - y[:, None]": UNEQUAL,
            "np.subtract.outer(y, x)": UNEQUAL,
            "x - y": INTERFACE,
            "y[:, None] - x": UNEQUAL,
            "x[None] - y[None]": INTERFACE,
        },
    ),
    "convolution": Family(
        """void f(int n, int k, double x[n + k - 1], double w[k], double y[n]) {
             for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < k; j++) y[i] += x[i + j] * w[j]; } }""",
        "x, w",
        ("np.lib.stride_tricks.sliding_window_view(x, w.shape[0]) @ w",),
        {
            "np.lib.stride_tricks.sliding_window_view(x, w.shape[0]) @ w[::-1]": UNEQUAL,
            "np.lib.stride_tricks.sliding_window_view(x[::-1], w.shape[0]) @ w": UNEQUAL,
            "np.lib.stride_tricks.sliding_window_view(x[1:], w.shape[0]) @ w": OBLIGATION,
            "np.lib.stride_tricks.sliding_window_view(x, w.shape[0]).sum(axis=1)": UNEQUAL,
        },
    ),
    "diagonal": Family(
        """void f(int n, double a[n][n]) { for (int i = 0; i < n; i++) a[i][i] += 1; }""",
        "a",
        ("a + np.eye(a.shape[0])",),
        {
            "a + 1.0": UNEQUAL,
            "a + np.eye(a.shape[0], k=1)": UNEQUAL,
            "a * np.eye(a.shape[0])": UNEQUAL,
            "a + np.tri(a.shape[0])": UNEQUAL,
            "a + np.eye(a.shape[0])[::-1]": UNEQUAL,
        },
    ),
    "gather": Family(
        """void f(int n, int p[n], double a[n], double c[n]) {
             for (int i = 0; i < n; i++) c[i] = a[n - 1 - i] * p[i]; }""",
        "p, a",
        ("a[::-1] * p",),
        {"a[p]": OBLIGATION, "a * p": UNEQUAL, "a[::-1] * p[::-1]": UNEQUAL, "a[np.arange(a.shape[0])] * p": UNEQUAL},
    ),
    "no initial value": Family(
        """double f(int n, double a[n]) {
             double s = a[0]; for (int i = 1; i < n; i++) s = s < a[i] ? s : a[i]; return s; }""",
        "a",
        ("np.where(a.shape[0] > 0, a.min(), 0.0) + 0.0", "a.min()"),
        {
            "a.min(initial=0.0)": UNEQUAL,
            "np.where(min(a.shape[0]) > 0, a.min(), 0.0)": UNREADABLE,
            "np.minimum(a.min(), 0.0)": UNEQUAL,
            "a[1:].min()": OBLIGATION,
            "a.max()": UNEQUAL,
            "a[0]": UNEQUAL,
        },
    ),
}  # fmt: skip
CASES = [(family, body, code) for family, entry in FAMILIES.items() for body, code in entry.wrong.items()]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_right_program_is_proved(accept: Accept, family: str) -> None:
    for body in FAMILIES[family].right:
        accept(FAMILIES[family].source, FAMILIES[family].program(body))


@pytest.mark.parametrize(("family", "body", "code"), CASES)
def test_a_wrong_program_is_rejected(reject: Reject, family: str, body: str, code: str) -> None:
    assert reject(FAMILIES[family].source, FAMILIES[family].program(body)) == code
