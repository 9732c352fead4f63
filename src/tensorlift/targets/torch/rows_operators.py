"""Operators of PyTorch: those of NumPy, on operands that have a common type without PyTorch's default."""

from __future__ import annotations

from dataclasses import replace

from tensorlift.targets.arrays import arithmetic, logic
from tensorlift.targets.target import OpRow, Sample, sample

_SHARED = {row.spelling: row for row in (*arithmetic.ROWS, *logic.ROWS)}
_NUMBERS = {"a": "arith[m, n]", "b": "arith[n]"}
_REALS = {"a": "real[m, n]", "b": "positive_real[n]"}
_DIVISORS = {"a": "number[m, n]", "b": "positive[n]"}
_INTEGERS = {"a": "integer[m, n]", "b": "integer[n]"}


def _row(spelling: str, *samples: Sample) -> OpRow:
    return replace(_SHARED[spelling], samples=samples)


def _arithmetic(spelling: str) -> OpRow:
    forms = (f"a {spelling} b", f"a {spelling} 3", f"2 {spelling} b")
    zero_rank = (f"a {spelling} x", f"x {spelling} x")
    return _row(
        spelling,
        *(sample(form, **_NUMBERS) for form in forms),
        *(sample(form, a="arith[m]", x="arith[]") for form in zero_rank),
        sample(f"a {spelling} 2.5", a="real[m]"),
    )


def _division(spelling: str) -> OpRow:
    return _row(
        spelling,
        sample(f"a {spelling} b", **_DIVISORS),
        sample(f"a {spelling} 3", **_DIVISORS),
        sample(f"2 {spelling} b", **_DIVISORS),
        sample(f"(m + n) {spelling} 2 * a", a="i64[m]"),
    )


def _comparison(spelling: str) -> OpRow:
    texts = (f"a {spelling} b", f"a {spelling} 1", f"torch.arange(m)[:, None] {spelling} torch.arange(n) + 1")
    samples = [sample(text, a="int_or_real[m, n]", b="int_or_real[n]") for text in (*texts, f"m {spelling} n")]
    return _row(spelling, *samples)


def _bits(spelling: str) -> OpRow:
    texts = (f"a {spelling} b", f"(c > 0) {spelling} (a[:, 0] > 0)", f"torch.arange(n) {spelling} 1")
    return _row(spelling, *(sample(text, 1, **_INTEGERS, c="f64[m]") for text in texts))


ROWS = [
    *map(_arithmetic, ("+", "-", "*")),
    _row(
        "/",
        sample("a / b", **_REALS),
        sample("a / 3", **_REALS),
        sample("2 / b", **_REALS),
        sample("a / n", 1, **_REALS),
    ),
    *map(_division, ("//", "%")),
    _row(
        "**",
        sample("a ** 2", a="number[m, n]"),
        sample("a ** b", a="positive_real[n]", b="real[n]"),
        sample("a ** torch.arange(n)", a="real[m, n]"),
    ),
    _row("-x", sample("-a", a="number[m, n]"), sample("-n + a", a="i64[n]")),
    *map(_comparison, ("==", "!=", "<", "<=", ">", ">=")),
    *map(_bits, ("&", "|", "^")),
    _row("<<", sample("a << 3", a="integer[m, n]"), sample("a << b", a="i32[n]", b="count[n]")),
    _row(">>", sample("a >> 3", a="integer[m, n]"), sample("a >> b", a="i32[n]", b="count[n]")),
    _row("~x", sample("~a", a="integer[m, n]"), sample("~(a > 0)", a="f64[n]")),
]
