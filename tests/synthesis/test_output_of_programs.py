"""Whole programs, from C to the line that a NumPy user would have written."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from tensorlift.languages.c import read_c
from tensorlift.session import SESSION
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets.numpy.emit import emit

_PROGRAMS = Path(__file__).parent.parent / "programs"
_LINES = {
    "matmul_tiled": ["return c + a @ b"],
    "matmul_cut_tiles": ["return c + a @ b"],
    "matmul_blocks": ["return c + a @ b"],
    "stencil_tiled": ["b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])"],
    "pairwise_forces": ["fx = np.sum(t / t5, axis=1)", "fy = np.sum(t2 / t5, axis=1)", "fz = np.sum(t3 / t5, axis=1)"],
    "running_max": ["return np.fmax.accumulate(a)"],
    "integral_image": ["return np.cumsum(np.cumsum(a, axis=1), axis=0)"],
    "vandermonde": ["return x[:, None] ** np.arange(m)"],
    "average_pool": ["return sliding_window_view(in_, (2, 2))[::2, ::2].sum(axis=(2, 3)) / 4.0"],
    "strided_convolution": ["return sliding_window_view(x[:-4], 3 * k - 2)[::2, ::3] @ w"],
    "gravity": ["t4 = t3 * t3 * t3", "ay = np.sum(m * t / t4, axis=1)", "ax = np.sum(m * t2 / t4, axis=1)"],
    "every_second_until_before_last": ["u[:-2:2] = p[:-2:2]"],
    "every_other_cell": ["b[2::2] = (2 * np.arange(1, n_plus_1_div_2) - 1) * u[2::2]"],
    "decay": ["return np.power(np.float32(0.99), n_div_2)"],
    "scaled_by_power": ["return a * np.power(x, m)"],
    "scatter_rows": ["x[i : i + 2 * m - 1 : 2] = a[i]"],
    "strided_triangle": ["x[i:] = np.where(np.arange(n - i) % 3 == 0, c[i:, i], x[i:])"],
    "strided_update": ["y[::2] += s * x[::3]"],
    "interleave_pairs": ["z[::2] = re", "z[1::2] = im"],
    "bubble_sort": ["old = np.minimum(a[j + 1], a[j])", "a[j + 1] = np.maximum(a[j], a[j + 1])", "a[j] = old"],
}


def emitted(source: str) -> str:
    (function,) = read_c(source, "test.c")
    assert function.module is not None, function.diagnostics
    SESSION.restart()
    func_op = next(op for op in function.module.walk() if isinstance(op, FuncOp))
    return emit(derive(simplify(summarise(func_op, nonempty=True)))).text


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", _LINES)
def test_a_program_comes_out_short(name: str) -> None:
    """The lines stand in the text, one after another."""
    lines = [line.strip() for line in emitted((_PROGRAMS / f"{name}.c").read_text()).splitlines()]
    first = lines.index(_LINES[name][0])
    assert lines[first : first + len(_LINES[name])] == _LINES[name]


def test_a_scalar_is_converted_once_and_only_where_its_type_matters() -> None:
    """A product with an array needs no conversion, a power of numbers does."""
    head = "#include <math.h>\nvoid f(int n, float alpha, float a[n]) { for (int i = 0; i < n; i++) a[i] = "
    assert "alpha = " not in emitted(head + "alpha * a[i]; }")
    text = emitted(head + "expf(-alpha) * a[i] + expf(2.0f * alpha); }")
    assert text.count("np.float32(") == 1
    assert "    alpha = np.float32(alpha)\n" in text


@pytest.mark.parametrize("step", [2, 4])
@pytest.mark.parametrize(
    ("of", "end", "line"),
    [
        ("a[i + {0}] * b[i + {0}]", "s", "return a @ b"),
        ("a[i + {0}] / b[i + {0}]", "s * s", "s = np.sum(a / b)"),
        ("a[n - 1 - i - {0}] * b[i + {0}]", "s", "return a[::-1] @ b"),
    ],
)
def test_an_unrolled_sum_is_a_sum(step: int, of: str, end: str, line: str) -> None:
    text = emitted(
        "#include <math.h>\ndouble f(int n, double a[n], double b[n]) { double s = 0; int i;\n"
        f"for (i = 0; i + {step - 1} < n; i += {step}) s += {' + '.join(map(of.format, range(step)))};\n"
        f"for (; i < n; i++) s += {of.format(0)};\nreturn {end}; }}"
    )
    assert line in text, text


@pytest.mark.parametrize(
    ("added", "line"),
    [
        (("s += a[4 * i]", "t += a[4 * i + 1]", "u += a[4 * i + 2]", "v += a[4 * i + 3]"), "return a.sum()"),
        (("s += a[4 * i] + a[4 * i + 2]", "t += a[4 * i + 1] + a[4 * i + 3]"), "return a.sum()"),
        (("s += a[4 * i] + a[4 * i + 1]",), "a[1::4]"),  # not all of them
        (("s += a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3]", "t += a[4 * i]"), "return s + a[::4].sum()"),
    ],
)
def test_several_accumulators_are_one_sum(added: tuple[str, ...], line: str) -> None:
    text = emitted(
        "double f(int n, double a[4 * n]) { double s = 0, t = 0, u = 0, v = 0;\n"
        f"for (int i = 0; i < n; i++) {{ {'; '.join(added)}; }}\nreturn (s + t) + (u + v); }}"
    )
    assert line in text, text


def test_a_quotient_of_sizes_is_computed_from_them_alone() -> None:
    text = emitted("void f(int n, double a[n], double x[n / 2]) { for (int i = 0; i < n / 2; i++) x[i] = a[2 * i]; }")
    assert text.count("n_div_2 = ") <= 1


_PAIRS = """void f(int n, int m, double C[n][n], double A[n][m], double B[n][m], double D[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++) C[i][j] += FIRST SIGN SECOND;
}
"""


@pytest.mark.parametrize(
    ("first", "sign", "second", "lines"),
    [
        ("A[i][k] * B[j][k]", "+", "B[i][k] * A[j][k]", ["t = A @ B.T", "return C + (t + t.T)"]),
        ("A[i][k] * B[j][k]", "-", "A[j][k] * B[i][k]", ["t = A @ B.T", "return C + (t - t.T)"]),
        ("A[i][k] * B[j][k]", "+", "D[i][k] * A[j][k]", ["return C + (A @ B.T + D @ A.T)"]),
    ],
)
def test_a_product_and_its_transpose_are_computed_once(first: str, sign: str, second: str, lines: list[str]) -> None:
    source = _PAIRS.replace("FIRST", first).replace("SIGN", sign).replace("SECOND", second)
    text = emitted(source)
    assert all(line in text for line in lines), text


@pytest.mark.parametrize(
    ("kind", "cell", "line"),
    [
        ("int", "a[i] = a[i] / 7", "return tdiv_positive(a, np.int32(7))"),
        ("long", "a[i] = a[i] / 7", "return tdiv_positive(a, 7)"),
        ("int", "a[i] = a[i] / -7", "return tdiv(a, -7)"),
        ("int", "if (a[i]) a[i] = 7 / a[i]", "tdiv(7, np.where("),
        ("int", "a[0] = a[0] / 7", "a[0] = tdiv(a[0], 7)"),
    ],
)
def test_an_array_is_divided_by_a_positive_number_in_a_quicker_way(kind: str, cell: str, line: str) -> None:
    text = emitted(f"void f(int n, {kind} a[n]) {{ for (int i = 0; i < n; i++) {cell}; }}")
    assert line in text, text


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("for (int i = 0; i < n; i++) if (a[i] < 0) return 1; return 0;", "return np.any(a < 0.0).astype(np.int32)"),
        ("for (int i = 0; i < n; i++) if (a[i] < 0) return i; return n;", "np.where(mask, np.arange(n), "),
        ("for (int i = 1; i < n; i++) if (a[i - 1] > a[i]) return 0; return 1;", "np.any(a[:-1] > a[1:])"),
        (
            "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (b[i][j] < 0) return 1; return 0;",
            "return np.any(b < 0.0).astype(np.int32)",
        ),
        ("for (int i = 0; i < n; i++) if (a[i] < b[n - 1 - i][0]) return 1; return 0;", "np.any(a[::-1] < b[:, 0])"),
    ],
)
def test_a_search_meets_what_it_reads_from_its_start(body: str, line: str) -> None:
    text = emitted(f"int f(int n, int m, double a[n], double b[n][m]) {{ {body} }}")
    assert line in text, text
