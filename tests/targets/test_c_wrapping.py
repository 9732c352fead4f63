"""Programs in C say what integers that wrap give: compiled as C is, with no flag that makes signed overflow defined."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tensorlift import lift
from tensorlift.ir.wrapping import wrapping_widths
from tensorlift.languages.c import read_c

if TYPE_CHECKING:
    from pathlib import Path

# Bodies of `void f(int n, const T *a, const T *b, T *o)` at each i, with the type T.
_WRAPS = {
    "a sum that saturates": (
        "int",
        "int s = (int)((unsigned)a[i] + (unsigned)b[i]); if (b[i] > 0 && s < a[i]) s = 2147483647; o[i] = s;",
    ),
    "a test for overflow": ("int", "o[i] = (int)((unsigned)a[i] + 1u) < a[i];"),
    "a quotient of what wrapped": ("int", "o[i] = (int)((unsigned)a[i] * 4u) / 4;"),
    "a difference": ("int", "o[i] = (int)((unsigned)a[i] - (unsigned)b[i]) > 0;"),
    "a negation": ("int", "unsigned x = a[i]; o[i] = (int)-x / 3;"),
    "a shift": ("int", "o[i] = (int)((unsigned)a[i] << 3) >> 3;"),
    "an update": ("int", "o[i] = (int)((unsigned)o[i] + (unsigned)a[i]); o[i] = o[i] / 2;"),
    "a product of halves": ("unsigned short", "o[i] = (unsigned short)((unsigned)a[i] * (unsigned)b[i]);"),
    "64 bits": ("long", "o[i] = (long)((unsigned long)a[i] * 31ul + (unsigned long)b[i]) / 7;"),
    "64 bits cut off": ("int", "o[i] = (int)((long)a[i] * 3l + 1l) / 5;"),
}
_CORNERS = {
    "int": (np.int32, [0, 1, -1, 2, 1 << 30, -(1 << 30), 2147483647, -2147483648, 2000000000, 1431655766]),
    "long": (np.int64, [0, 1, -1, 3, (1 << 63) - 1, -(1 << 63), 1 << 62, 6148914691236517206]),
    "unsigned short": (np.uint16, [0, 1, 2, 255, 256, 32768, 46341, 65535]),
}


def _source(of_type: str, body: str) -> str:
    parameters = f"int n, const {of_type} *a, const {of_type} *b, {of_type} *o"
    return f"void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"


@pytest.mark.in_turns(2)
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", _WRAPS)
def test_what_wraps_wraps_in_a_program_that_is_compiled_as_c(name: str, tmp_path: Path) -> None:
    of_type, body = _WRAPS[name]
    source = _source(of_type, body)
    (tmp_path / "original.c").write_text(source.replace("void f(", "void f_original("), encoding="utf-8")
    (tmp_path / "program.c").write_text(str(lift(source, to="c").functions[0].program), encoding="utf-8")
    command = ["cc", "-std=c11", "-O2", "-shared", "-fPIC", "-w", "original.c", "program.c", "-o", "both.so"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    library = ctypes.CDLL(str(tmp_path / "both.so"))
    dtype, corners = _CORNERS[of_type]
    a, b = (np.array(column, dtype) for column in zip(*itertools.product(corners, corners), strict=True))
    results = [np.ones(len(a), dtype) for _ in range(2)]
    for function, result in zip((library.f, library.f_original), results, strict=True):
        function(len(a), *(ctypes.c_void_p(array.ctypes.data) for array in (a, b, result)))
    np.testing.assert_array_equal(results[0], results[1])


@pytest.mark.parametrize(
    ("body", "widths"),
    [
        ("o[i] = a[i] * b[i] + 1;", set()),
        ("for (unsigned k = 0; k < 4u; k++) o[i] += a[i] * b[i];", set()),
        ("o[i] = (int)((unsigned)a[i] + 1u);", {32}),
        ("if ((unsigned)a[i] + 1u < 5u) o[i] = 0;", {32}),
        ("o[i] = (int)((long)a[i] + b[i]);", {32}),
        ("unsigned h = 7; for (int k = 0; k < 4; k++) h = h * 31u + a[i]; o[i] = h;", {32}),
    ],
)
def test_only_data_that_the_source_wraps_counts(body: str, widths: set[int]) -> None:
    (function,) = read_c(_source("int", body), "f.c")
    assert function.literally is not None
    assert wrapping_widths(function.literally()) == widths
