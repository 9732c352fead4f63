"""The routines of BLAS that programs in C call, each with functions that call it in every way that programs do.

What a routine means is not said here: the front end reads it in ``cblas.h``, and the samples show it and test it.
"""

from __future__ import annotations

from tensorlift.targets.target import Routine

_FLAGS = {"N": "CblasNoTrans", "T": "CblasTrans"}
_ROWS = "CblasRowMajor"


def _matrix(name: str, rows: str, columns: str, flag: str, *, const: bool = True) -> str:
    """Declare a matrix as it lies in memory, where the flag says how it is seen."""
    shape = f"[{rows}][{columns}]" if flag == "N" else f"[{columns}][{rows}]"
    return f"{'const ' if const else ''}REAL {name}{shape.replace('[', '[restrict ', 1)}"


def _vector(name: str, *, const: bool = True) -> str:
    """Declare a vector, whose elements need not be neighbours."""
    return f"{'const ' if const else ''}REAL *restrict {name}"


_SAMPLES = {
    "gemm": (
        [
            f"void sample(int m, int n, int k, REAL alpha, REAL beta, {_matrix('a', 'm', 'k', ta)},"
            f" {_matrix('b', 'k', 'n', tb)}, {_matrix('c', 'm', 'n', 'N', const=False)})"
            f" {{ ROUTINE({_ROWS}, {_FLAGS[ta]}, {_FLAGS[tb]}, m, n, k, alpha,"
            f" &a[0][0], {'k' if ta == 'N' else 'm'}, &b[0][0], {'n' if tb == 'N' else 'k'}, {beta}, &c[0][0], n); }}"
            for ta in "NT"
            for tb in "NT"
            for beta in ("beta", "0.0")
        ],
        "layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc",
    ),
    "symm": (
        [
            f"void sample(int m, int n, REAL alpha, REAL beta, const REAL a[restrict {extent}][{extent}],"
            f" {_matrix('b', 'm', 'n', 'N')}, {_matrix('c', 'm', 'n', 'N', const=False)}) {{ ROUTINE({_ROWS},"
            f" Cblas{side}, Cblas{half}, m, n, alpha, &a[0][0], {extent}, &b[0][0], n, beta, &c[0][0], n); }}"
            for side, extent in (("Left", "m"), ("Right", "n"))
            for half in ("Lower", "Upper")
        ],
        "layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc",
    ),
    "syrk": (
        [
            f"void sample(int n, int k, REAL alpha, REAL beta, {_matrix('a', 'n', 'k', trans)},"
            f" {_matrix('c', 'n', 'n', 'N', const=False)}) {{ ROUTINE({_ROWS}, Cblas{half}, {_FLAGS[trans]}, n, k,"
            f" alpha, &a[0][0], {'k' if trans == 'N' else 'n'}, beta, &c[0][0], n); }}"
            for half in ("Lower", "Upper")
            for trans in "NT"
        ],
        "layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc",
    ),
    "syr2k": (
        [
            f"void sample(int n, int k, REAL alpha, REAL beta, {_matrix('a', 'n', 'k', trans)},"
            f" {_matrix('b', 'n', 'k', trans)}, {_matrix('c', 'n', 'n', 'N', const=False)})"
            f" {{ ROUTINE({_ROWS}, Cblas{half}, {_FLAGS[trans]}, n, k, alpha,"
            f" &a[0][0], {(ld := 'k' if trans == 'N' else 'n')}, &b[0][0], {ld}, beta, &c[0][0], n); }}"
            for half in ("Lower", "Upper")
            for trans in "NT"
        ],
        "layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc",
    ),
    "trmm": (
        [
            f"void sample(int m, int n, REAL alpha, const REAL a[restrict {extent}][{extent}],"
            f" {_matrix('b', 'm', 'n', 'N', const=False)}) {{ ROUTINE({_ROWS}, Cblas{side}, Cblas{half},"
            f" {_FLAGS[trans]}, Cblas{unit}, m, n, alpha, &a[0][0], {extent}, &b[0][0], n); }}"
            for side, extent in (("Left", "m"), ("Right", "n"))
            for half in ("Lower", "Upper")
            for trans in "NT"
            for unit in ("NonUnit", "Unit")
        ],
        "layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb",
    ),
    "gemv": (
        [
            f"void sample(int m, int n, REAL alpha, REAL beta, const REAL a[restrict m][n],"
            f" {_vector('x')}, {_vector('y', const=False)})"
            f" {{ ROUTINE({_ROWS}, {_FLAGS[trans]}, m, n, alpha, &a[0][0], n, x, {step}, {beta}, y, 3); }}"
            for trans in "NT"
            for beta in ("beta", "1.0")
            for step in (1, 2)
        ],
        "layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy",
    ),
    "ger": (
        [
            f"void sample(int m, int n, REAL alpha, {_vector('x')}, {_vector('y')},"
            f" {_matrix('a', 'm', 'n', 'N', const=False)}) {{ ROUTINE({_ROWS}, m, n, alpha, x, {step}, y, 1,"
            f" &a[0][0], n); }}"
            for step in (1, 2)
        ],
        "layout, m, n, alpha, x, incx, y, incy, a, lda",
    ),
    "dot": (
        [
            f"REAL sample(int n, {_vector('x')}, {_vector('y')}) {{ return ROUTINE(n, x, {step}, y, 1); }}"
            for step in (1, 2)
        ],
        "n, x, incx, y, incy",
    ),
    "axpy": (
        [
            f"void sample(int n, REAL alpha, {_vector('x')}, {_vector('y', const=False)})"
            f" {{ ROUTINE(n, alpha, x, {step}, y, 1); }}"
            for step in (1, 2)
        ],
        "n, alpha, x, incx, y, incy",
    ),
    "scal": (
        [
            f"void sample(int n, REAL alpha, {_vector('x', const=False)}) {{ ROUTINE(n, alpha, x, {step}); }}"
            for step in (1, 2)
        ],
        "n, alpha, x, incx",
    ),
    "nrm2": (
        [f"REAL sample(int n, {_vector('x')}) {{ return ROUTINE(n, x, {step}); }}" for step in (1, 2)],
        "n, x, incx",
    ),
}


def _routine(name: str, real: str, samples: list[str], parameters: str) -> Routine:
    texts = (text.replace("REAL", real).replace("ROUTINE", name) for text in samples)
    return Routine(name, parameters, tuple(f"#include <cblas.h>\n{text}\n" for text in texts))


ROUTINES = tuple(
    _routine(f"cblas_{letter}{name}", real, samples, parameters)
    for letter, real in (("d", "double"), ("s", "float"))
    for name, (samples, parameters) in _SAMPLES.items()
)
