"""What the programs of ``tests/programs`` become: the spelling, the parameters and the preconditions that users see."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

_FOLDER = Path(__file__).parents[1] / "programs"

_LINES = {
    "quantise_blocks": "def quantise_blocks(x):",
    "unpack_nibbles": "    y[:, 16:] = ((t >> 4) - 8).astype(np.float32) * x_scale[:, None]",
    "sobel_by_tables": "            - t2",
    "normal_distribution": "    return np.where(d > 0.0, 1.0 - t2, t2)",
    "from_the_middle": "    return np.sum(x - (x[n_div_2] - x[k]))",
    "variance_of_unsigned_count": "    return (t @ t) / (np.float32(n) - 1.0) if n >= 2 else np.float32(0.0)",
    "maximum_twice": "    sum_ = a.max()",
}


def _lifted(name: str) -> FunctionRecord:
    record = lift_source(read_source(str(_FOLDER / f"{name}.c")), LiftOptions((name,)))
    return record.functions[0]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", _LINES)
def test_a_program_is_spelled_and_formatted_in_the_usual_way(name: str) -> None:
    program = _lifted(name).program
    assert _LINES[name] in program.splitlines()
    black = pytest.importorskip("black", reason="the formatter is not installed")
    assert black.format_str(program, mode=black.Mode()) == program


def test_weights_of_zero_leave_nothing_behind() -> None:
    assert "0 *" not in _lifted("sobel_by_tables").program


def test_an_element_that_no_loop_moves_tells_no_extent() -> None:
    assert [p.text for p in _lifted("from_the_middle").preconditions] == ["k >= 0", "k + 1 <= n"]


def test_a_guard_on_other_subscripts_makes_no_array_longer() -> None:
    shapes = {parameter.name: parameter.shape for parameter in _lifted("zero_padded_convolution").parameters}
    assert shapes == {"in_": ("h", "w"), "weight": ("weight_size",)}


@pytest.mark.parametrize("bound", ["least(j + 1, m)", "least(m, j + 1)", "(j + 1 < m ? j + 1 : m)"])
def test_of_two_bounds_the_one_that_asks_for_no_other_loop_tells_the_extent(bound: str) -> None:
    least = "static inline int least(int a, int b) { return a < b ? a : b; }\n"
    loops = f"for (int j = 0; j < n; j++) for (int i = 0; i < {bound}; i++) b[i + j * ldb] = a[i + j * lda];"
    text = f"{least}void copy(int m, int n, const double *a, int lda, double *b, int ldb) {{ {loops} }}"
    (function,) = lift_source(source_from_text(text, "copy.c"), LiftOptions(("copy",))).functions
    assert {parameter.shape for parameter in function.parameters} == {("n", "m")}
    assert {"m <= lda", "m <= ldb"} <= {condition.text for condition in function.preconditions}


def test_an_array_that_is_written_whole_is_no_parameter_where_a_quotient_tells_its_extent() -> None:
    assert [parameter.name for parameter in _lifted("unpack_nibbles").parameters] == ["x_scale", "x_bytes", "n"]


def test_both_sides_of_a_conjunction_are_computed_at_once() -> None:
    loop = "for (int i = 0; i < n; i++) c += x[i] > 1 && x[i] < 2;"
    text = f"int f(int n, const float *x) {{ int c = 0; {loop} return c; }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert "np.sum((x > 1.0) & (x < 2.0), dtype=np.int32)" in function.program


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_rounded_as_in_c(dtype: type[np.floating]) -> None:
    near = [np.nextafter(dtype(h), dtype(towards)) for h in (0.5, 1.5, 2.5, 1e6 + 0.5) for towards in (0, h, 1e9)]
    large = [dtype(2) ** bits + 1 for bits in (22, 23, 24, 51, 52, 53)]
    values = np.array([0.0, *near, *large, 1e20], dtype)
    values = np.concatenate([values, -values])
    names: dict[str, object] = {}
    exec(_lifted("quantise_blocks").program, names)
    found = names["round_half_away"](values)  # type: ignore[operator]  # a function
    wanted = [float(Decimal(float(v)).quantize(Decimal(1), ROUND_HALF_UP)) for v in values]
    assert found.dtype == dtype
    assert found.tolist() == wanted
    with np.errstate(invalid="ignore"):
        unbounded = names["round_half_away"](np.array([np.inf, -np.inf, np.nan, -0.0], dtype))  # type: ignore[operator]  # as above
    np.testing.assert_array_equal(unbounded, [np.inf, -np.inf, np.nan, -0.0])
