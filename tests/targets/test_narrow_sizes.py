"""Sizes are made integers of Python where NumPy's numbers would wrap in sums, or would convert arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.runtime.program import call_program
from tensorlift.runtime.program_worker import loaded
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = """
void above_short(int n, short u, int o[n]) { for (int i = 0; i < n; i++) if (i > u) o[i] = 1; }
void above_byte(int n, unsigned char u, int o[n]) { for (int i = 0; i < n; i++) o[i] = n > u ? 1 : 2; }
void from_byte(int n, unsigned char u, int o[n]) { for (int i = 0; i < n; i++) if (i + 1 == u) o[i] = i + u; }
void below_char(int n, signed char u, int o[n]) { for (int i = 0; i < n; i++) if (i < u - 1) o[i] = 5; }
"""
BESIDE = """
void scaled(int n, int u, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = i < u ? x[i] * u : 0; }
void moved(int n, int u, const short *x, short *y) { for (int i = 0; i < n; i++) y[i] = i < u ? x[i] + u : 0; }
void signs(unsigned n, unsigned u, const unsigned long *x, unsigned long *y) {
  for (unsigned i = 0; i < n; i++) y[i] = i < u ? x[i] ^ u : x[i];
}
void above(int n, int u, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = i < u && x[i] > u ? 1 : x[i]; }
void filled(int n, int u, const unsigned char *x, unsigned char *y) {
  for (int i = 0; i < n; i++) y[i] = x[i] > i && i < u ? u : x[i];
}
"""
UNSIGNED = """
void below(unsigned n, unsigned long u, int *o) { for (unsigned i = 0; i < n; i++) if (i < u) o[i] = 7; }
void apart(unsigned long n, unsigned u, int *o) { for (unsigned long i = 0; i < n; i++) o[i] = i + 1 < u ? 1 : 2; }
void last(unsigned n, unsigned long u, int *o) { for (unsigned i = 0; i < n; i++) o[i] = n - i > u ? 3 : 4; }
void tail(unsigned n, unsigned char u, int *o) { for (unsigned i = 0; i < n; i++) if (i + 2 > u) o[i] = 5; }
"""
TYPES = {"above_short": np.int16, "above_byte": np.uint8, "from_byte": np.uint8, "below_char": np.int8}


def _expected(name: str, n: int, u: int) -> list[int]:
    return {
        "above_short": [int(i > u) for i in range(n)],
        "above_byte": [1 if n > u else 2] * n,
        "from_byte": [i + u if i + 1 == u else 0 for i in range(n)],
        "below_char": [5 if i < u - 1 else 0 for i in range(n)],
    }[name]


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_programs_are_right_at_the_ends_of_the_types(target: str) -> None:
    if target != "numpy":
        pytest.importorskip(target)
    for function in lift_source(source_from_text(SOURCE, "f.c"), LiftOptions(target=target)).functions:
        dtype: Any = TYPES[function.name]
        program = loaded(function.program or "", function.name, target)
        for u in (np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 2):
            arguments = {"n": 4, "u": dtype(u), "o": np.zeros(4, np.int32)}
            (result,) = call_program(program, arguments, 1)
            assert np.asarray(result).tolist() == _expected(function.name, 4, int(u)), (function.name, u)


def test_a_program_that_computes_in_a_narrow_type_is_refused() -> None:
    for function in lift_source(source_from_text(SOURCE, "f.c"), LiftOptions()).functions:
        certificate = certificate_from_json(function.certificate or {})
        text = (function.program or "").replace("    u = int(u)\n", "")
        with pytest.raises(CheckFailure, match="u, of a narrow type, is not made an integer of Python"):
            check(text, function.name, certificate.summary, get_target("numpy"), certificate.cuts)


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_a_size_beside_an_array_of_another_type_does_not_convert_it(target: str) -> None:
    if target != "numpy":
        pytest.importorskip(target)
    for function in lift_source(source_from_text(BESIDE, "f.c"), LiftOptions(target=target)).functions:
        if not function.lifted:
            assert target != "numpy", function.diagnostics
            continue
        program = loaded(function.program or "", function.name, target)
        dtype = {"scaled": np.float32, "moved": np.int16, "signs": np.uint64, "above": np.float32, "filled": np.uint8}
        x = np.arange(2, 7).astype(dtype[function.name])
        results = [
            np.asarray(call_program(program, {"n": 5, "u": u, "x": x}, 1)[0]) for u in (3, np.int32(3), np.int64(3))
        ]
        for result in results:
            assert result.dtype == x.dtype, function.name
            assert result.tolist() == results[0].tolist(), function.name


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_unsigned_sizes_do_not_wrap_in_differences(target: str) -> None:
    if target != "numpy":
        pytest.importorskip(target)
    expected: dict[str, Callable[[int, int], int]] = {
        "below": lambda i, u: 7 if i < u else 0,
        "apart": lambda i, u: 1 if i + 1 < u else 2,
        "last": lambda i, u: 3 if 5 - i > u else 4,
        "tail": lambda i, u: 5 if i + 2 > u else 0,
    }
    for function in lift_source(source_from_text(UNSIGNED, "f.c"), LiftOptions(target=target)).functions:
        program = loaded(function.program or "", function.name, target)
        for u in (np.uint64(0), np.uint64(2), np.uint32(0), np.uint32(3), np.uint8(1), 0, 9):
            (result,) = call_program(program, {"n": 5, "u": u, "o": np.zeros(5, np.int32)}, 1)
            wanted = [expected[function.name](i, int(u)) for i in range(5)]
            assert np.asarray(result).tolist() == wanted, (function.name, u, function.program)
