"""Adapters take what C takes, over flat memory, write what C writes, and fall back where a precondition fails."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlift import Lifted, LiftError, lift
from tensorlift.cli import main

_GOLDEN = Path(__file__).parent / "scale_rows.txt"
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc on the search path")

SCALE_ROWS = """void scale_rows(int n, int m, int lda, const float *s, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i*lda + j] *= s[i];
}
"""
SHIFT = "int shift(int n, int *c, int *a) { for (int i = 0; i < n; i++) c[i] = a[i] + c[0]; return c[0]; }"
MATRIX = """typedef struct { int rows, cols; double *vals; } matrix;
void twice(matrix m) { for (int i = 0; i < m.rows; i++) for (int j = 0; j < m.cols; j++) m.vals[i*m.cols + j] *= 2; }
"""
STATE = """struct gains { float low, high; };
struct state { int n; struct gains g; float *x; float sum; float last[2]; };
void step(struct state *s) {
  s->sum = 0;
  for (int i = 0; i < s->n; i++) s->sum += s->g.low * s->x[i];
  for (int i = 0; i < 2; i++) s->last[i] = s->g.high;
}
"""
COLUMNS = """typedef struct { float re, im; } cpx;
void conjugate(cpx *x, int n) { for (int i = 0; i < n; i++) x[i].im = -x[i].im; }
"""
ROWS = """void add(int **to, const int **from, int n, int m) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) to[i][j] += from[i][j];
}
"""


@pytest.fixture(scope="module")
def scale_rows() -> Any:
    return lift(SCALE_ROWS).adapter()


def compiled(text: str, name: str, folder: Path) -> Any:
    """Compile a C text and give its function ``name``."""
    (folder / "source.c").write_text(text, encoding="utf-8")
    subprocess.run(["cc", "-O1", "-fwrapv", "-shared", "-fPIC", "-o", "source.so", "source.c"], check=True, cwd=folder)
    return ctypes.CDLL(str(folder / "source.so"))[name]


def test_an_adapter_is_spelled_as_kept(update: bool) -> None:  # noqa: FBT001 - a fixture
    text = lift(SCALE_ROWS).functions[0].adapter
    if update:
        _GOLDEN.write_text(text, encoding="utf-8")
    assert text == _GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["flat", "shaped", "pointer", "array", "address"])
def test_memory_is_written_in_place_and_no_padding(scale_rows: Any, kind: str) -> None:
    memory = np.arange(8.0)
    cells = ctypes.POINTER(ctypes.c_double)
    given: Any = {
        "flat": memory,
        "shaped": memory.reshape(2, 4),
        "pointer": memory.ctypes.data_as(cells),
        "array": (ctypes.c_double * 8).from_buffer(memory.data),
        "address": memory.ctypes.data,
    }[kind]
    assert scale_rows(2, 3, 4, np.array([2, 10], np.float32), given) is None
    np.testing.assert_array_equal(memory, [0, 2, 4, 3, 40, 50, 60, 7])


def test_the_result_of_c_is_returned() -> None:
    dot = lift(
        "int dot(int n, int *a) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * a[i]; return s; }"
    ).adapter()
    assert dot(3, np.array([1, 2, 3], np.int32)) == 14


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, 3, 2, np.ones(2, "f"), np.ones(8)), r"scale_rows needs that m <= lda \(.*:4\)"),
        ((-1, 3, 4, np.ones(2, "f"), np.ones(8)), r"scale_rows needs that n >= 0 \(.*:2\)"),
        ((2, 3, 4, np.ones(8).view("f"), None), "A is a null pointer, and the call uses 7 elements"),
    ],
)
def test_what_fails_is_named_with_its_line(scale_rows: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scale_rows(*arguments)


READ_ONLY = np.ones(8)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, 2.0, "n must be an integer, not float"),
        (0, [2], "n must be one number, not list"),
        (2, 2**31, "lda is 2147483648, which is no int32"),
        (3, np.ones(2), "s must hold float32, not float64"),
        (3, np.ones(1, "f"), "s has length 1, expected 2 or more"),
        (4, np.ones(16)[::2], "A must be contiguous, as C's memory is"),
        (4, READ_ONLY, "A is read-only, and is written"),
        (4, "text", "A must be a NumPy array or a ctypes pointer, not str"),
    ],
)
def test_what_is_no_argument_of_c_is_refused_even_with_an_original(
    scale_rows: Any, place: int, value: Any, message: str
) -> None:
    arguments: list[Any] = [2, 3, 4, np.ones(2, "f"), np.ones(8)]
    arguments[place] = value
    with pytest.raises(ValueError, match=message):
        scale_rows(*arguments, original=ctypes.CFUNCTYPE(None)(lambda: None))


@needs_compiler
def test_where_a_precondition_fails_the_original_runs_on_the_same_memory(tmp_path: Path) -> None:
    function = compiled(SHIFT, "shift", tmp_path)
    adapter = lift(SHIFT).adapter(function)
    memory = np.arange(1, 7, dtype=np.int32)
    assert adapter(4, memory[1:5], memory[:4]) == 3  # c[i] = c[i-1] + c[0], where c[0] is 3 from the first iteration on
    np.testing.assert_array_equal(memory, [1, 3, 6, 9, 12, 6])
    assert adapter(0, memory, memory) == 1


def test_without_an_original_nothing_is_written() -> None:
    memory = np.arange(1, 7, dtype=np.int32)
    with pytest.raises(ValueError, match="shift needs that c shares no memory with a"):
        lift(SHIFT).adapter()(4, memory[1:5], memory[:4])
    np.testing.assert_array_equal(memory, np.arange(1, 7))


class Matrix(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_int), ("cols", ctypes.c_int), ("vals", ctypes.POINTER(ctypes.c_double))]


class Gains(ctypes.Structure):
    _fields_ = [("low", ctypes.c_float), ("high", ctypes.c_float)]


class State(ctypes.Structure):
    _fields_ = [
        ("n", ctypes.c_int),
        ("g", Gains),
        ("x", ctypes.c_void_p),
        ("sum", ctypes.c_float),
        ("last", ctypes.c_float * 2),
    ]


class Complex(ctypes.Structure):
    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


@needs_compiler
def test_structures_are_passed_by_value(tmp_path: Path) -> None:
    cells = (ctypes.c_double * 6)(1, 2, 3, 4, 5, 6)
    adapter = lift(MATRIX).adapter(compiled(MATRIX, "twice", tmp_path))
    adapter(Matrix(2, 3, cells))
    assert list(cells) == [2, 4, 6, 8, 10, 12]
    adapter(Matrix(0, 3, cells))  # rows >= 1 fails
    assert list(cells) == [2, 4, 6, 8, 10, 12]


@needs_compiler
def test_structures_are_passed_by_pointer_and_their_members_are_written(tmp_path: Path) -> None:
    adapter = lift(STATE).adapter(compiled(STATE, "step", tmp_path))
    x = np.array([1, 2, 3], np.float32)
    for count, expected in ((3, 12), (0, 0)):
        state = State(count, Gains(2, 7), x.ctypes.data)
        for given in (state, ctypes.byref(state), ctypes.pointer(state)):
            state.sum = 99
            adapter(given)
            assert (state.sum, list(state.last)) == (expected, [7, 7])


def test_a_member_that_the_written_one_overlaps_is_seen() -> None:
    state = State(1, Gains(2, 7))
    state.x = ctypes.addressof(state) + State.sum.offset
    with pytest.raises(ValueError, match="step needs that s_sum shares no memory with s_x"):
        lift(STATE).adapter()(state)


RESULT = """struct result { double *out; double sum; };
void add_up(struct result *r, int n, const double *x) {
  double s = 0;
  r->sum = 0;
  for (int i = 0; i < n; i++) { s += x[i]; r->sum += x[i]; }
  *r->out = s;
}
"""


class Sums(ctypes.Structure):
    _fields_ = [("out", ctypes.POINTER(ctypes.c_double)), ("sum", ctypes.c_double)]


@needs_compiler
def test_a_number_that_a_member_points_to_is_told_from_one_that_lies_inside() -> None:
    lifted = lift(RESULT, test=True)
    assert lifted.functions[0].lifted, lifted.diagnostics
    cell = ctypes.c_double()
    result = Sums(ctypes.pointer(cell))
    lifted.adapter()(result, 3, np.arange(3.0))
    assert (cell.value, result.sum) == (3.0, 3.0)


def test_a_null_structure_goes_to_the_original() -> None:
    seen: list[Any] = []
    original = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    lift(STATE).adapter(original)(ctypes.POINTER(State)())
    assert seen == [None]


def test_arrays_of_structures_are_taken_member_by_member() -> None:
    records = (Complex * 3)(Complex(1, 2), Complex(3, 4), Complex(5, 6))
    adapter = lift(COLUMNS).adapter()
    adapter(records, 2)
    assert [(r.re, r.im) for r in records] == [(1, -2), (3, -4), (5, 6)]
    adapter(ctypes.cast(records, ctypes.POINTER(Complex)), 3)
    assert [r.im for r in records] == [2, 4, -6]


BODIES = """struct body { double p[3], v[3], m; };
void drift(int n, struct body *b, double dt) {
  for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) b[i].p[k] += dt * b[i].v[k];
}
"""
PIXELS = """struct pixel { float re, im; };
void fill(int h, int w, int wide, struct pixel *p) {
  for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) p[y * wide + x].im = 10 * y + x;
}
"""


class Body(ctypes.Structure):
    _fields_ = [("p", ctypes.c_double * 3), ("v", ctypes.c_double * 3), ("m", ctypes.c_double)]


def test_members_that_are_arrays_and_rows_of_structures_are_found_in_them() -> None:
    bodies = (Body * 2)(Body((0, 1, 2), (1, 1, 1), 7), Body((3, 4, 5), (2, 2, 2), 8))
    lift(BODIES).adapter()(2, bodies, 0.5)
    assert [[*body.p, body.m] for body in bodies] == [[0.5, 1.5, 2.5, 7], [4, 5, 6, 8]]
    pixels = (Complex * 6)()
    lift(PIXELS).adapter()(2, 2, 3, pixels)
    assert [(pixel.re, pixel.im) for pixel in pixels] == [(0, im) for im in (0, 1, 0, 10, 11, 0)]


@needs_compiler
@pytest.mark.parametrize("kind", ["list", "matrix", "table"])
def test_tables_of_row_pointers(tmp_path: Path, kind: str) -> None:
    to, start = np.arange(6, dtype=np.int32).reshape(2, 3), np.ones((2, 3), np.int32)
    table = (ctypes.c_void_p * 2)(*(row.ctypes.data for row in to))
    given: Any = {"list": list(to), "matrix": to, "table": table}[kind]
    adapter = lift(ROWS).adapter(compiled(ROWS, "add", tmp_path))
    adapter(given, list(start), 2, 3)
    np.testing.assert_array_equal(to.ravel(), range(1, 7))
    adapter(given, [to[1], to[0]], 2, 3)  # falls back: the rows of `to` are those of `from`, in another order
    np.testing.assert_array_equal(to, [[5, 7, 9], [9, 12, 15]])
    adapter([to[0], to[0]], list(start), 2, 3)  # falls back: the same row twice
    np.testing.assert_array_equal(to[0], [7, 9, 11])


LED_TO = "void f(struct s *s) { for (int i = 0; i < s->p->n; i++) s->p->a[i] *= 2; }"


def test_names_that_the_adapter_needs_are_not_hidden() -> None:
    text = "void f(int np, double *original, double *store, double *store_view, double from) {"
    text += " for (int i = 0; i < np; i++) original[i] = store[i] * store_view[i] + from; }"
    result = np.zeros(2)
    lift(text).adapter()(2, result, np.full(2, 2.0), np.full(2, 3.0), 1.0)
    np.testing.assert_array_equal(result, [7, 7])


@pytest.mark.parametrize(
    ("lifted", "message"),
    [
        (
            lambda: lift("double t[4]; void f(double s) { for (int i = 0; i < 4; i++) t[i] *= s; }"),
            r"TL540: no adapter is written: 't\[\]' is not reached through the parameters",
        ),
        (
            lambda: lift("struct s { struct { int n; double *a; } *p; };\n" + LED_TO),
            r"TL540: no adapter is written: 's->p->(n|a)' is reached through a structure in another",
        ),
        (
            lambda: lift("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }", to="jax"),
            r"TL541: no adapter is written: it takes a source in C, a program for NumPy, ",
        ),
    ],
)
def test_what_can_have_no_adapter_says_why(lifted: Any, message: str) -> None:
    found: Lifted = lifted()
    assert found.functions[0].lifted
    with pytest.raises(LiftError, match=message):
        found.adapter()


def test_the_command_writes_a_module_that_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "scale_rows.c").write_text(SCALE_ROWS, encoding="utf-8")
    assert main(["lift", str(tmp_path / "scale_rows.c"), "--adapter", "-o", str(tmp_path / "lifted.py")]) == 0
    check = (
        "import numpy as np, lifted; a = np.ones(2); lifted.scale_rows_adapter(1, 2, 2, np.float32([3]), a); print(a)"
    )
    done = subprocess.run([sys.executable, "-c", check], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[3. 3.]\n"


def test_the_command_says_what_has_no_adapter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.c"
    file.write_text("double t[4];\nvoid f(double s) { for (int i = 0; i < 4; i++) t[i] *= s; }\n")
    assert main(["lift", str(file), "--adapter"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("import numpy as np")
    assert "no adapter is written: 't[]' is not reached through the parameters [TL540]" in err
