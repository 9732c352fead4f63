"""Which integers a function may lose bits of: positions in narrow types, and data where signed arithmetic overflows."""

from __future__ import annotations

import pytest

from tensorlift.ir.function import function_named
from tensorlift.ir.lost_bits import Integers
from tensorlift.readers.clang.reader import read_literally


def _integers(body: str, parameters: str = "long n") -> Integers:
    text = f"void f({parameters}, const int *a, const short *h, const long *w, int *o, double *y) {{\n{body}\n}}"
    return Integers(function_named(read_literally(text, "f.c").module, "f"), {"n"})


def _each(body: str) -> str:
    return f"for (long i = 0; i < n; i++) {{ {body} }}"


@pytest.mark.parametrize(
    "body",
    [
        _each("o[i] = (int)i + (int)n;"),
        _each("o[i] = (int)i * 2;"),
        _each("o[i] = -(int)i;"),
        _each("o[i] = (int)((unsigned)i * 3u);"),
        _each("o[i] = (int)((unsigned)(unsigned char)i - (unsigned)(unsigned char)n);"),
        _each("o[i] = ((int)i << 2) / (int)n;"),
        _each("int p = (int)i; y[p] = 0;"),
        _each("y[(unsigned)i] = 0;"),
        _each("int p = i > 4 ? (int)i : 0; y[p] = 0;"),
        "int p = (int)n; for (long i = 0; i < n; i++) p += (int)i; *o = p;",
        "int p = (int)n; p++; *o = p;",
        "int p = (int)n; for (long i = 0; i < p; i++) y[i] = 0;",
        "for (int i = 0; i < n; i++) y[i] = 0;",
        "long i = 0; while (a[i]) i++;",
        "while (*o) *o = 0;",
    ],
)
def test_positions_that_may_not_fit_are_found(body: str) -> None:
    assert _integers(body).lost_position() == 2


def test_a_size_in_a_narrow_type_is_found() -> None:
    assert _integers(_each("y[i] = 0;"), "int n").lost_position() == 1


@pytest.mark.parametrize(
    "body",
    [
        _each("y[i] = (int)i;"),
        _each("y[i] = (double)(i * 3 + n);"),
        _each("o[i] = (int)(i % 7) * 3 + 5;"),
        _each("o[i] = ((int)i / 4) + 1;"),
        _each("o[i] = (short)i * 30000;"),
        _each("o[i] = (i > 3) + (n > 5);"),
        _each("y[a[i] + 1] = h[i] * a[i];"),
        _each("int t = a[i] * 2; y[t] = 0;"),
        "int s = 0; for (long i = 0; i < n; i++) s += (int)i; *o = s;",
        "int c = 0; for (long i = 0; i < n; i++) if (a[i] > 0) c += 1; *o = c;",
        "int s = (int)n; for (long i = 0; i < n; i++) s += a[i]; *o = s;",
        "for (long i = 0; i < n; i++) for (long k = a[i]; k < a[i + 1]; k++) y[k] = 0;",
        "for (long i = n - 1; i >= 0; i--) y[i] = 0;",
        "for (long i = 0; i < (n < 8 ? n : 8); i++) y[i] = 0;",
    ],
)
def test_positions_that_fit_and_data_are_none(body: str) -> None:
    assert _integers(body).lost_position() is None


@pytest.mark.parametrize(
    ("body", "widths"),
    [
        (_each("o[i] = a[i] + 1;"), {32}),
        (_each("o[i] = -a[i];"), {32}),
        (_each("o[i] = a[i] << 1;"), {32}),
        (_each("o[i] += (int)i * a[i];"), {32}),
        (_each("y[a[i] * 2] = 0;"), {32}),
        (_each("if (a[i] - 1 > 0) o[i] = 0;"), {32}),
        (_each("o[i] = (unsigned short)h[i] * (unsigned short)h[i];"), {16}),
        (_each("y[i] = (double)((long)a[i] * a[i] * 2);"), {64}),
        (_each("y[i] = (double)(w[i] + 1);"), {64}),
        (_each("y[w[i] * 3] = 0;"), {64}),
        ("int s = 0; for (long i = 0; i < n; i++) s += (int)i; *o = s;", {32}),
        ("int s = 0; for (long i = 0; i < n; i++) s += h[i]; *o = s;", {32}),
        ("long s = 0; for (long i = 0; i < n; i++) s += i; y[0] = (double)s;", {64}),
        ("int c = 0; for (long i = 0; i < n; i++) if (h[i]) c++; *o = c;", {32}),
    ],
)
def test_data_that_may_overflow_are_found_at_their_widths(body: str, widths: set[int]) -> None:
    assert _integers(body).overflow(frozenset(widths)) == 2
    assert _integers(body).overflow(frozenset({8})) is None


@pytest.mark.parametrize(
    "body",
    [
        _each("o[i] = h[i] + h[i] * 2;"),
        _each("o[i] = (int)((unsigned)a[i] + 1u);"),
        _each("y[a[i]] = (double)((long)a[i] + 5 > 0);"),
        _each("y[w[i]] = (double)(i * n);"),
        _each("o[i] = a[i] / 2 + 1;"),
        _each("o[i] = (a[i] % 100) * 100;"),
        "for (int i = 0; i < 1000; i++) y[i + 1] = i * 3;",
    ],
)
def test_data_that_fit_and_positions_do_not_overflow(body: str) -> None:
    assert _integers(body).overflow(frozenset({8, 16, 32, 64})) is None
