"""Calls of CBLAS mean what a CBLAS library computes, and lift as the loops that they stand for."""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensorlift
from tensorlift import lift

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Arguments = list[Any]
    Calls = Iterator[tuple[str, Arguments]]

_HEADERS = Path(tensorlift.__file__).parent / "frontends" / "c" / "include" / "defined"
_ROUTINES = (
    "dot", "nrm2", "asum", "scal", "axpy", "copy", "swap", "gemv", "ger", "gemm", "symm", "syrk", "syr2k", "trmm",
)  # fmt: skip
_LAYOUTS, _TRANSPOSES, _TRIANGLES, _DIAGONALS, _SIDES = (101, 102), (111, 112, 113), (121, 122), (131, 132), (141, 142)
_INCREMENTS = (1, 2, -1, -3)


@pytest.fixture(scope="module", name="library")
def _library() -> ctypes.CDLL:
    name = ctypes.util.find_library("openblas")
    if name is None:
        pytest.skip("OpenBLAS is not installed")
    return ctypes.CDLL(name)


@pytest.fixture(scope="module", name="meanings")
def _meanings(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Compile the header, with the places of its routines for all to see."""
    folder = tmp_path_factory.mktemp("cblas")
    lines = ['#include "cblas.h"']
    for precision in "ds":
        lines += [f"void *{precision}{name} = (void *)cblas_{precision}{name};" for name in _ROUTINES]
    (folder / "meanings.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["cc", "-shared", "-fPIC", "-O1", f"-I{_HEADERS}", "-o", "meanings.so", "meanings.c", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "meanings.so"))


def _size(rng: np.random.Generator) -> int:
    return int(rng.integers(0, 5))


def _vector(rng: np.random.Generator, length: int, increment: int) -> np.ndarray[Any, Any]:
    return rng.normal(size=max(1, 1 + (length - 1) * abs(increment)) + 2)


def _matrix(rng: np.random.Generator, rows: int, columns: int, layout: int) -> tuple[np.ndarray[Any, Any], int]:
    across, along = (columns, rows) if layout == _LAYOUTS[0] else (rows, columns)
    stride = across + int(rng.integers(1, 3))
    return rng.normal(size=max(1, along) * stride), stride


def _vector_calls(rng: np.random.Generator) -> Calls:
    for incx, incy in itertools.product(_INCREMENTS, _INCREMENTS):
        n = _size(rng)
        x, y = _vector(rng, n, incx), _vector(rng, n, incy)
        for name in ("dot", "copy", "swap"):
            yield name, [n, x, incx, y, incy]
        yield "axpy", [n, 1.5, x, incx, y, incy]
    for n, incx in itertools.product((0, 1, 4), (1, 2)):
        x = _vector(rng, n, incx)
        yield "nrm2", [n, x, incx]
        yield "asum", [n, x, incx]
        yield "scal", [n, -0.5, x, incx]


def _matrix_vector_calls(rng: np.random.Generator) -> Calls:
    for layout, trans, incx, incy in itertools.product(_LAYOUTS, _TRANSPOSES, _INCREMENTS, _INCREMENTS):
        m, n = _size(rng), _size(rng)
        (a, lda), beta = _matrix(rng, m, n, layout), float(rng.integers(0, 3))
        inner, outer = (n, m) if trans == _TRANSPOSES[0] else (m, n)
        x, y = _vector(rng, inner, incx), _vector(rng, outer, incy)
        yield "gemv", [layout, trans, m, n, 1.5, a, lda, x, incx, beta, y, incy]
        x, y = _vector(rng, m, incx), _vector(rng, n, incy)
        yield "ger", [layout, m, n, 1.5, x, incx, y, incy, a, lda]


def _product_calls(rng: np.random.Generator) -> Calls:
    for layout, transa, transb, beta in itertools.product(_LAYOUTS, _TRANSPOSES, _TRANSPOSES, (0.0, 1.0, 2.0)):
        m, n, k = _size(rng), _size(rng), _size(rng)
        a, lda = _matrix(rng, *((m, k) if transa == _TRANSPOSES[0] else (k, m)), layout)
        b, ldb = _matrix(rng, *((k, n) if transb == _TRANSPOSES[0] else (n, k)), layout)
        c, ldc = _matrix(rng, m, n, layout)
        yield "gemm", [layout, transa, transb, m, n, k, 1.5, a, lda, b, ldb, beta, c, ldc]


def _symmetric_calls(rng: np.random.Generator) -> Calls:
    for layout, triangle, beta in itertools.product(_LAYOUTS, _TRIANGLES, (0.0, 2.0)):
        for side in _SIDES:
            m, n = _size(rng), _size(rng)
            a, lda = _matrix(rng, *((m, m) if side == _SIDES[0] else (n, n)), layout)
            (b, ldb), (c, ldc) = _matrix(rng, m, n, layout), _matrix(rng, m, n, layout)
            yield "symm", [layout, side, triangle, m, n, 1.5, a, lda, b, ldb, beta, c, ldc]
        for trans in _TRANSPOSES:
            n, k = _size(rng), _size(rng)
            (a, lda), (b, ldb) = (_matrix(rng, *((n, k) if trans == _TRANSPOSES[0] else (k, n)), layout) for _ in "ab")
            c, ldc = _matrix(rng, n, n, layout)
            yield "syrk", [layout, triangle, trans, n, k, 1.5, a, lda, beta, c, ldc]
            yield "syr2k", [layout, triangle, trans, n, k, 1.5, a, lda, b, ldb, beta, c, ldc]


def _triangular_calls(rng: np.random.Generator) -> Calls:
    for choice in itertools.product(_LAYOUTS, _SIDES, _TRIANGLES, _TRANSPOSES, _DIAGONALS):
        m, n = _size(rng), _size(rng)
        a, lda = _matrix(rng, *((m, m) if choice[1] == _SIDES[0] else (n, n)), choice[0])
        b, ldb = _matrix(rng, m, n, choice[0])
        yield "trmm", [*choice, m, n, 1.5, a, lda, b, ldb]


def _called(place: int, arguments: Arguments, precision: str) -> list[Any]:
    """Call a routine on copies; give what it returns, and the arrays as it leaves them."""
    real = ctypes.c_double if precision == "d" else ctypes.c_float
    arrays: list[np.ndarray[Any, Any]] = []
    given: list[Any] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            arrays.append(argument.astype("f8" if precision == "d" else "f4"))
            given.append(arrays[-1].ctypes.data_as(ctypes.c_void_p))
        else:
            given.append(real(argument) if isinstance(argument, float) else ctypes.c_int(argument))
    returned = ctypes.CFUNCTYPE(real, *(type(value) for value in given))(place)(*given)
    return [*arrays, returned]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("precision", ["d", "s"])
@pytest.mark.parametrize(
    "calls",
    [_vector_calls, _matrix_vector_calls, _product_calls, _symmetric_calls, _triangular_calls],
    ids=lambda calls: calls.__name__.strip("_"),
)
def test_a_call_means_what_the_library_computes(
    library: ctypes.CDLL, meanings: ctypes.CDLL, calls: Callable[[np.random.Generator], Calls], precision: str
) -> None:
    for seed in range(4):
        for name, arguments in calls(np.random.default_rng(seed)):
            place = ctypes.c_void_p.in_dll(meanings, precision + name).value or 0
            actual = ctypes.cast(getattr(library, f"cblas_{precision}{name}"), ctypes.c_void_p).value or 0
            expected, meant = (_called(one, arguments, precision) for one in (actual, place))
            if name not in ("dot", "nrm2", "asum"):
                del expected[-1], meant[-1]
            for one, other in zip(meant, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4, err_msg=f"{name}{arguments}")


def test_what_is_written_is_not_read_where_beta_is_zero(library: ctypes.CDLL, meanings: ctypes.CDLL) -> None:
    arguments = [101, 111, 111, 2, 2, 2, 1.0, np.ones(4), 2, np.ones(4), 2, 0.0, np.full(4, np.nan), 2]
    actual = ctypes.cast(library.cblas_dgemm, ctypes.c_void_p).value
    for place in (actual, ctypes.c_void_p.in_dll(meanings, "dgemm").value):
        assert _called(place or 0, arguments, "d")[2].tolist() == [2.0] * 4


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("call", "program"),
    [
        ("dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 2.0, A, n, B, n, 1.0, C, n)", "2.0 * (A @ B.T) + C"),
        ("dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0, A, n, B, n, 0.0, C, n)", "B.T @ A"),
        ("dgemv(CblasRowMajor, CblasTrans, n, n, 1.0, A, n, x, 1, 0.0, y, 1)", "A.T @ x"),
        ("dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, A, n, x, -1, 1.0, y, 1)", "A @ x[::-1] + y"),
        ("dger(CblasRowMajor, n, n, 1.0, x, 1, y, 1, A, n)", "A + np.outer(x, y)"),
        (
            "dsymm(CblasRowMajor, CblasLeft, CblasLower, n, n, 1.0, A, n, B, n, 0.0, C, n)",
            "np.where(np.tri(n, dtype=bool), A, A.T) @ B",
        ),
        ("dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, 1.0, A, n, 0.0, C, n)", "A.T @ A"),
        ("dsyr2k(CblasRowMajor, CblasLower, CblasNoTrans, n, n, 1.0, A, n, B, n, 1.0, C, n)", "t + t.T + C"),
        (
            "dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, n, 1.0, A, n, B, n)",
            "np.tril(A, -1)",
        ),
        ("dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, n, n, 1.0, A, n, B, n)", "@ B"),
        ("daxpy(n, 3.0, x, 1, y, 1)", "y + 3.0 * x"),
        ("dscal(n, 3.0, y, 1)", "y * 3.0"),
        ("dcopy(n, x, -1, y, 1)", "x[::-1].copy()"),
        ("dswap(n, x, 1, y, 1)", "return x, y_new"),
    ],
)
def test_a_call_lifts(call: str, program: str) -> None:
    matrices = "const double *A, const double *B, double *C, double *x, double *y"
    parameters = matrices.replace("const ", "") if call.startswith(("dtrmm", "dger")) else matrices
    lifted = lift(f"#include <cblas.h>\nvoid f(int n, {parameters}) {{ cblas_{call}; }}")
    assert (lifted.verdict, lifted.level) == ("loop-free", "proved")
    assert program in lifted.source, lifted.source


def test_reductions_lift() -> None:
    source = """#include <cblas.h>
    float f(int n, const float *x, const float *y) {
      return cblas_sdot(n, x, 1, y, 1) / (cblas_snrm2(n, x, 1) * cblas_sasum(n, y, 1) + 1);
    }"""
    text = lift(source).source
    assert "x @ y" in text
    assert "np.sqrt(" in text
    assert "np.abs(y).sum()" in text


def test_only_the_functions_of_the_source_are_lifted() -> None:
    lifted = lift("#include <cblas.h>\nvoid f(int n, double *y) { cblas_dscal(n, 2.0, y, 1); }")
    assert [function.name for function in lifted.functions] == ["f"]


def test_an_increment_that_libraries_differ_about_is_refused_at_the_call() -> None:
    lifted = lift("#include <cblas.h>\nvoid f(int n, double *y) { cblas_dscal(n, 2.0, y, -1); }")
    (diagnostic,) = lifted.diagnostics
    assert diagnostic.code == "TL116"
    assert [(note.message, note.location.line) for note in diagnostic.notes if note.location] == [
        ("in `cblas_dscal`, called from here", 2)
    ]


def test_an_increment_that_libraries_differ_about_must_be_positive() -> None:
    lifted = lift("#include <cblas.h>\nvoid f(int n, int k, double *y) { cblas_dscal(n, 2.0, y, k); }", test=True)
    (function,) = lifted.functions
    assert "k >= 1" in {condition.text for condition in function.preconditions}
    assert all(trial.passed for trial in function.tests)


def test_a_lifted_call_agrees_with_the_library(library: ctypes.CDLL) -> None:
    assert library is not None
    source = """#include <cblas.h>
    void step(int m, int n, double alpha, const double *A, const double *x, double *y, double *g) {
      cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1.0, A, n, x, 1, -1.0, y, 1);
      cblas_dgemv(CblasRowMajor, CblasTrans, m, n, alpha, A, n, y, 1, 0.0, g, 1);
    }"""
    (function,) = lift(source, test=True).functions
    assert [(test.against, test.passed) for test in function.tests] == [("interpreter", True), ("compiled", True)]
