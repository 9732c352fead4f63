"""A reference BLAS in C lifts: strides of either sign, complex numbers as ``void *``, names of BLAS."""

from __future__ import annotations

import ctypes
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench.kernels.native import compiler

from tensorlift import lift
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

_BLAS = Path(__file__).parents[2] / "bench" / "irregular_programs" / "blas.c"
_STRIDES = (-2, -1, 0, 1, 3)
_CALLS: dict[
    str, tuple[tuple[Any, ...], tuple[Any, ...], int]
] = {  # what stands before and behind the vectors, and how many numbers an element has
    "cblas_daxpy": ((0.5,), (), 1),
    "cblas_dswap": ((), (), 1),
    "cblas_drot": ((), (0.6, 0.8), 1),
    "cblas_zaxpy": ((np.array([0.5, -2.0]),), (), 2),
    "cblas_zdotu_sub": ((), (np.zeros(2),), 2),
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    found = compiler()
    if found is None:
        pytest.skip("no C compiler named cc on the search path")
    folder = tmp_path_factory.mktemp("blas")
    handler, library = folder / "handler.c", str(folder / "blas.so")
    handler.write_text("void cblas_xerbla(int p, const char *rout, const char *form, ...) {}")
    subprocess.run([found, "-O1", "-shared", "-fPIC", str(_BLAS), str(handler), "-o", library, "-lm"], check=True)
    return ctypes.CDLL(library)


@pytest.mark.parametrize("name", _CALLS)
def test_adapters_do_what_c_does_with_strides_of_either_sign_and_shared_memory(
    name: str, compiled: ctypes.CDLL
) -> None:
    before, behind, width = _CALLS[name]
    original = getattr(compiled, name)
    adapter: Any = lift(str(_BLAS), function=name).adapter(original)
    for n, incx, incy, shift in product((0, 1, 4), _STRIDES, _STRIDES, (0, 1, 40)):
        memories = [np.random.default_rng(7).normal(size=80 * width) for _ in "ab"]
        results = [[one.copy() if isinstance(one, np.ndarray) else one for one in behind] for _ in "ab"]
        for memory, result, call in zip(memories, results, (adapter, _called(original)), strict=True):
            call(n, *before, memory[: 40 * width], incx, memory[shift * width : (shift + 40) * width], incy, *result)
        np.testing.assert_allclose(memories[0], memories[1], rtol=1e-13, err_msg=f"{n}, {incx}, {incy}, {shift}")
        np.testing.assert_allclose(results[0], results[1], rtol=1e-13, atol=1e-13)


def _called(function: Any) -> Any:
    def call(*arguments: Any) -> None:
        function(*map(_as_c, arguments))

    return call


def _as_c(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data) if value.ndim else ctypes.c_double(float(value))
    return ctypes.c_double(value) if isinstance(value, float) else value


def _only(text: str, target: str = "numpy") -> Any:
    (record,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target)).functions
    return record


def test_a_program_for_positive_strides_alone_is_restricted_and_says_so() -> None:
    (record,) = lift_source(
        source_from_text(_BLAS.read_text(encoding="utf-8"), str(_BLAS)), LiftOptions(("cblas_ddot",))
    ).functions
    assert record.restricted
    assert {p.text for p in record.preconditions if p.kind == "direction"} == {"incX >= 1", "incY >= 1"}


@pytest.mark.parametrize(
    ("uses", "code"),
    [
        ("((double *)y)[i] = ((const double *)x)[i];", ""),
        ("double *to = y; const double *from = x; to[i] = from[i];", ""),
        ("((double *)y)[i] = ((const float *)x)[i] + ((const double *)x)[i];", "TL145"),
        ("((double *)y)[i] = ((const double *)(x + 8))[i];", "TL145"),
        ("((double *)y)[i] = x != y;", "TL145"),
    ],
)
def test_a_pointer_to_void_is_one_to_what_all_uses_convert_it_to(uses: str, code: str) -> None:
    record = _only(f"void f(int n, const void *x, void *y) {{ for (int i = 0; i < n; i++) {{ {uses} }} }}")
    assert [item.code for item in record.diagnostics] == [code] * bool(code)
    assert record.verdict == "refused" if code else record.level == "proved"


_HANDLER = (
    "void xerbla(const char *name, int *info, int length); void warn(const char *form, ...); void work(double *x);"
)


def test_an_arm_that_calls_what_is_not_known_is_left_out_and_the_program_is_restricted() -> None:
    body = "if (n > 9) work(x); for (int i = 0; i < n; i++) x[i] *= 2;"
    record = _only(f"{_HANDLER} void f(int n, double *x) {{ {body} }}")
    assert record.restricted
    assert [p.text for p in record.preconditions if p.kind == "left-out"] == ["n <= 9"]


@pytest.mark.parametrize(
    ("text", "asked", "code"),
    [
        (
            """int info = 0;
               if (n < 0) info = 1; else if (kind != 101 && kind != 102) info = 2;
               else if (kind == 101 && ld < n) info = 3;
               if (info != 0) { xerbla("F", &info, 1); return; }""",
            {"where kind == 101: n <= ld"},
            "",
        ),
        ('if (a != 0.0) warn("a");', set(), "TL150"),
        ('warn("begin");', set(), "TL150"),
        ('for (int i = 0; i < n; i++) if (x[i] < 0) warn("%d", i);', set(), "TL150"),
    ],
)
def test_a_call_that_tells_of_an_error_is_asked_not_to_be_reached(text: str, asked: set[str], code: str) -> None:
    body = f"{text} for (int i = 0; i < n; i++) x[i] *= a;"
    record = _only(f"{_HANDLER} void f(int n, int kind, int ld, double a, double *x) {{ {body} }}")
    assert [item.code for item in record.diagnostics] == [code] * bool(code)
    assert code or record.level == "proved"
    assert {p.text for p in record.preconditions if p.kind == "error"} == asked


@pytest.mark.parametrize("name", ["cblas_dgemv", "dgemv_"])
def test_a_function_with_the_name_of_a_routine_of_blas_calls_none(name: str) -> None:
    record = _only(
        f"""void {name}(int m, int n, const double *a, const double *x, double *y) {{
          for (int i = 0; i < m; i++) {{
            double s = 0;
            for (int j = 0; j < n; j++) s += a[i * n + j] * x[j];
            y[i] = s; }} }}""",
        "c",
    )
    assert record.level == "proved"
    assert "<cblas.h>" not in record.program


def test_checks_of_many_flags_are_asked() -> None:
    """Each of them says for which sizes and flags the program ends, and there are hundreds of ways to pass them all."""
    checks = [f"if (f{k} != 101 && f{k} != 102 && f{k} != 103) bad = {k};" for k in range(3)]
    checks += [f"if ({size} < 0) bad = 4;" for size in "mnk"]
    for flag, one, other, ld in (("f1", "k", "m", "ld1"), ("f2", "n", "k", "ld2")):
        for size, is_one in product((one, other), (True, False)):
            asks = f"{flag} {'==' if (size == one) is is_one else '!='} 101 && {ld} < ({size} > 1 ? {size} : 1)"
            checks += [f"if (f0 {'==' if is_one else '!='} 101) {{ if ({asks}) bad = 9; }}"]
    text = f"""{_HANDLER} void f(int f0, int f1, int f2, int m, int n, int k, int ld1, int ld2, double *x) {{
        int bad = 0; {" ".join(checks)} if (bad) warn("f");
        for (int i = 0; i < n; i++) x[i] *= 2; }}"""
    assert _only(text).level == "proved"
