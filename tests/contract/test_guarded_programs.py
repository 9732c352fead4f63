"""Guarded programs raise a ValueError that names the argument, the condition and the line; else they compute the same.

``pytest --update`` writes the golden files anew.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlift import Lifted, lift
from tensorlift.targets import get_target

_GOLDEN = Path(__file__).parent
_KERNELS = Path(__file__).parents[2] / "bench" / "kernels"

STEP = """void step(int n, int lda, double s, double *c, const double *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      c[i] += s * a[i * lda + j];
}
"""
SUM = "double sum(int n, const double *a) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }"
FOLD = "void fold(int n, int k, double *a, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + k * a[2*n - 1 - i]; }"


@pytest.fixture(scope="module")
def step() -> Lifted:
    return lift(STEP, guards=True)


@pytest.mark.parametrize(
    "name", ["darknet/gemm_nn.c", "utdsp/mult_big.c", "polybench/jacobi_1d.c", "llama/softmax_part4.cpp"]
)
def test_guards_are_spelled_as_kept(name: str, update: bool) -> None:  # noqa: FBT001 - a fixture
    golden = _GOLDEN / f"{name.partition('.')[0].replace('/', '_')}.txt"
    text = lift(str(_KERNELS / name), guards=True).source
    if update:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_arguments_that_meet_the_preconditions_go_through(step: Lifted) -> None:
    c, a = np.ones(2), np.arange(8.0).reshape(2, 4)[:, :3]
    np.testing.assert_array_equal(step(2.0, c, a), c + 2 * a.sum(1))
    np.testing.assert_array_equal(step(np.float32(2), c[::-1], a), c + 2 * a.sum(1))


READ_ONLY = np.ones(2)
READ_ONLY.flags.writeable = False


def test_an_argument_is_never_written_so_that_it_may_be_read_only(step: Lifted) -> None:
    step(2.0, READ_ONLY, np.ones((2, 3)))


BUFFER = np.ones(12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2.0, np.ones(2), np.ones((2, 3), "f")), "step needs that a is a float64 array of 2 dimensions"),
        ((2.0, np.ones(2), np.ones(6)), "step needs that a is a float64 array of 2 dimensions"),
        ((2.0, [1.0, 1.0], np.ones((2, 3))), "step needs that c is a float64 array of 1 dimension"),
        ((np.ones(2), np.ones(2), np.ones((2, 3))), "step needs that s is one number"),
        ((2.0, np.ones(3), np.ones((2, 3))), "step needs that extent 0 of a is n, here c.shape"),
        ((2.0, np.ones(2), np.ones((2, 4))), "step needs that extent 1 of a is 3"),
        ((2.0, BUFFER[:4], BUFFER.reshape(4, 3)), "step needs that c shares no memory with a"),
        ((2.0, BUFFER[3:7], BUFFER.reshape(4, 3)), "step needs that c shares no memory with a"),
    ],
)
def test_what_does_not_hold_is_named_with_its_line(step: Lifted, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{message}.* \(<?\w+>?(\.c)?:\d\)$"):
        step(*arguments)


def test_a_size_that_the_shape_cannot_have_is_refused() -> None:
    fold = lift(FOLD, guards=True)
    np.testing.assert_array_equal(fold(3, np.ones(4)), np.full(2, 4.0))
    with pytest.raises(ValueError, match="extent 0 of a is 2\\*n"):
        fold(3, np.ones(5))
    with pytest.raises(ValueError, match="k is one integer"):
        fold(0.5, np.ones(4))


def test_an_integer_behind_a_pointer_is_one_number() -> None:
    source = "void f(int n, int *a, int *c) { for (int i = 0; i < n; i++) if (a[i] > 0) (*c)++; }"
    counted = lift(source, guards=True)
    assert counted.functions[0].lifted, counted.diagnostics
    for start in (3, np.int32(3), np.array(3, np.int32)):
        assert counted(np.array([1, -1, 2], np.int32), start) == 5
    with pytest.raises(ValueError, match="c is one number"):
        counted(np.ones(3, np.int32), np.ones(1, np.int32))


def test_the_same_array_is_let_through_where_it_changes_nothing() -> None:
    source = "void f(int n, double *c, double *a) { for (int i = 0; i < n; i++) c[i] = c[i] * a[i]; }"
    square = lift(source, guards=True)
    np.testing.assert_array_equal(square(BUFFER[:5], BUFFER[:5]), np.ones(5))
    for other in (BUFFER[1:6], BUFFER[4::-1]):
        with pytest.raises(ValueError, match="c shares no memory with a, unless it is the same array"):
            square(BUFFER[:5], other)


def test_names_that_guards_need_are_not_hidden() -> None:
    source = "double f(int n, double isinstance, double *ValueError) { return isinstance + ValueError[n]; }"
    lifted = lift(source, guards=True)
    assert lifted.functions[0].lifted, lifted.diagnostics
    assert lifted(2.0, np.arange(3.0)) == 4.0


def test_without_being_asked_there_are_no_guards() -> None:
    assert "raise" not in lift(SUM).source


def test_python_and_mlir_programs_are_guarded_too(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text(
        "import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n"
        "    for i in range(1, x.shape[0]):\n        y[i] = x[i] + y[i - 1]\n"
    )
    lifted = lift(tmp_path / "f.py", guards=True)
    assert lifted.functions[0].lifted, lifted.diagnostics
    with pytest.raises(ValueError, match=r"y shares no memory with x.* \(f.py:6\)"):
        lifted(BUFFER[:3], BUFFER[1:4])


def test_a_target_without_guards_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(get_target("numpy"), guarder="")
    monkeypatch.setattr("tensorlift.pipeline.get_target", lambda _name: bare)
    (function,) = lift(SUM, guards=True).functions
    assert [d.code for d in function.diagnostics] == ["TL530"]


def test_an_array_that_the_source_does_not_use_may_be_anything() -> None:
    source = "void f(int n, double *a, double *unused) { (void)unused; for (int i = 0; i < n; i++) a[i] *= 2; }"
    np.testing.assert_array_equal(lift(source, guards=True)(np.ones(2), None), [2, 2])


PLACES = "void f(int n, const int *p, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[p[i] + 1]; }"


@pytest.mark.parametrize("place", [-2, 2, 2**31 - 1])
def test_a_place_outside_is_named(place: int) -> None:
    program = lift(PLACES, guards=True)
    places = np.array([-1, 0, 1, place], np.int32)
    np.testing.assert_array_equal(program(places[:3], np.arange(3.0)), np.arange(3.0))
    with pytest.raises(ValueError, match=r"f needs that 0 <= p \+ 1 < x.shape\[0\] \(.*:1\)"):
        program(places, np.arange(3.0))
