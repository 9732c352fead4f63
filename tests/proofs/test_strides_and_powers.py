"""Remainders of indices as strided domains, and powers by counts as products: what is right, and what is nearly so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

_EVERY_THIRD = "void f(int n, double a[n]) { for (int i = 1; i < n; i += 3) a[i] = 2.0 * a[i]; }"
_EVERY_OTHER = "void f(int n, double y[2 * n], double x[3 * n]) { for (int i = 0; i < n; i++) y[2 * i] += x[3 * i]; }"
_POWER = "double f(int n, double x) { double p = 1.0; for (int i = 0; i < n; i++) p *= x; return p; }"
_POWERS = """
void f(int n, int m, double x[n], double o[n][m]) {
    for (int i = 0; i < n; i++) {
        o[i][0] = 1.0;
        for (int j = 1; j < m; j++)
            o[i][j] = o[i][j - 1] * x[i];
    }
}
"""


def _masked(mask: str) -> str:
    return f"def f(a):\n    n = a.shape[0]\n    return np.where({mask}, 2.0 * a, a)\n"


def _power(value: str) -> str:
    return f"def f(m, x):\n    return {value}\n"


def test_every_third_cell_by_its_remainder(accept: Callable[..., object]) -> None:
    accept(_EVERY_THIRD, _masked("np.arange(n) % 3 == 1"))


@pytest.mark.parametrize(
    "mask", ["np.arange(n) % 3 == 0", "np.arange(n) % 3 != 1", "np.arange(n) % 6 == 1", "np.arange(1, n + 1) % 3 == 1"]
)
def test_another_remainder_is_not_accepted(reject: Callable[..., str], mask: str) -> None:
    assert reject(_EVERY_THIRD, _masked(mask)).startswith("TL40")


def _updated(cells: str, value: str) -> str:
    return f"def f(y, x):\n    n = y.shape[0] // 2\n    y = y.copy()\n    y[{cells}] += {value}\n    return y\n"


def test_every_other_cell_by_its_step(accept: Callable[..., object]) -> None:
    accept(_EVERY_OTHER, _updated("::2", "x[::3]"))
    accept(_EVERY_OTHER, _updated(": 2 * n - 1 : 2", "x[: 3 * n - 2 : 3]"))
    accept(_EVERY_OTHER, _updated("2 * n - 2 :: -2", "x[3 * n - 3 :: -3]"))


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        ("1::2", "x[::3]"),
        ("::2", "x[1::3]"),
        ("::2", "x[::-3]"),
        ("::2", "x[2::3]"),
        ("::2", "x[:n]"),
        (":n", "x[::3]"),
        ("::2", "x[0]"),
        ("2 * n - 2 :: -2", "x[::3]"),
        ("::2", "x[: 3 * n - 3 : 3]"),
        ("2::2", "x[3::3]"),
    ],
)
def test_other_cells_or_steps_are_not_accepted(reject: Callable[..., str], cells: str, value: str) -> None:
    assert reject(_EVERY_OTHER, _updated(cells, value)).startswith("TL40")


def test_a_row_of_powers(accept: Callable[..., object]) -> None:
    accept(_POWERS, _power("x[:, None] ** np.arange(m)"))


@pytest.mark.parametrize("value", ["x[:, None] ** np.arange(1, m + 1)", "x[:, None] ** (np.arange(m) - 1)"])
def test_other_powers_are_not_accepted(reject: Callable[..., str], value: str) -> None:
    """A negative exponent has no meaning as a count."""
    assert reject(_POWERS, _power(value)).startswith("TL40")


@pytest.mark.parametrize("value", ["np.power(np.float64(x), n)", "np.float64(x) ** n"])
def test_a_power_of_a_number(accept: Callable[..., object], value: str) -> None:
    accept(_POWER, f"def f(n, x):\n    return {value}\n")


@pytest.mark.parametrize(
    "value", ["np.power(np.float64(x), n - 1)", "np.power(np.float32(x), n)", "np.power(x, n)", "np.float64(n) ** n"]
)
def test_another_power_of_a_number_is_not_accepted(reject: Callable[..., str], value: str) -> None:
    """Nor one whose type depends on how the number is given."""
    assert reject(_POWER, f"def f(n, x):\n    return {value}\n").startswith("TL40")


_BLOCKS = """
void f(int n, double x[2 * n], double y[n]) {
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < 2; j++)
            sum += x[2 * i + j];
        y[i] = sum;
    }
}
"""


def _blocks(value: str) -> str:
    return f"from numpy.lib.stride_tricks import sliding_window_view\ndef f(x):\n    return {value}\n"


def test_sums_of_blocks_by_every_other_window(accept: Callable[..., object]) -> None:
    accept(_BLOCKS, _blocks("sliding_window_view(x, 2)[::2].sum(axis=1)"))
    accept(_BLOCKS, _blocks("x[::2] + x[1::2]"))


@pytest.mark.parametrize(
    "value",
    [
        "sliding_window_view(x, 2)[1::2].sum(axis=1)",
        "sliding_window_view(x, 2)[: x.shape[0] // 2].sum(axis=1)",
        "sliding_window_view(x, 3)[::2].sum(axis=1)",
        "sliding_window_view(x, 2)[::2, ::2].sum(axis=1)",
        "sliding_window_view(x, 2)[::-2].sum(axis=1)",
        "x[::2] + x[::2]",
    ],
)
def test_sums_of_other_windows_are_not_accepted(reject: Callable[..., str], value: str) -> None:
    assert reject(_BLOCKS, _blocks(value)).startswith("TL40")
