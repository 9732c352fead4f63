"""Derived programs compute what their summaries say, on random inputs of several sizes, the least ones included."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.synthesis.plain_evaluator import NUMPY, evaluate
from tests.synthesis.programs import PROGRAMS, program

from tensorlift.synthesis.derive import derive
from tensorlift.targets.numpy.emit import emit

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary

_SIZES = [(1, 1, 1), (2, 3, 4), (4, 2, 3), (5, 5, 5)]


def _inputs(summary: Summary, sizes: tuple[int, ...], rng: np.random.Generator) -> dict[str, Any]:
    values: dict[str, Any] = {name: sizes[k % len(sizes)] for k, name in enumerate(summary.sizes)}
    for name, dtype in summary.scalars.items():
        values[name] = int(rng.integers(1, 9)) if dtype == "i32" else float(rng.uniform(0.5, 2.0))
    for name, info in summary.arrays.items():
        shape = tuple(e.evaluate({k: values[k] for k in summary.sizes}) for e in info.shape)
        drawn = rng.integers(-5, 6, shape) if info.dtype == "i32" else rng.uniform(0.5, 2.0, shape)
        values[name] = np.asarray(drawn).astype(NUMPY[info.dtype])
    return values


@pytest.mark.parametrize("sizes", _SIZES, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_derived_program_agrees_with_its_summary(name: str, sizes: tuple[int, ...]) -> None:
    """Same values, same types, inputs untouched, and no memory shared between inputs and outputs."""
    summary = program(name)
    emitted = emit(derive(summary))
    scope: dict[str, Any] = {}
    exec(emitted.text, scope)
    values = _inputs(summary, sizes, np.random.default_rng(zlib.crc32(name.encode())))
    before = {k: np.copy(v) for k, v in values.items()}
    with np.errstate(over="ignore"):
        returned = scope[emitted.entry](*(values[p.name] for p in emitted.parameters))
    expected = evaluate(summary, {**values})
    results = returned if len(expected) > 1 else (returned,)
    for got, want in zip(results, expected, strict=True):
        assert np.shape(got) == np.shape(want)
        assert np.asarray(got).dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-9)
    arrays = [v for v in (*values.values(), *results) if isinstance(v, np.ndarray)]
    assert not any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[k + 1 :])
    for key, value in values.items():
        np.testing.assert_array_equal(value, before[key], err_msg=f"the input {key} was changed")


@pytest.mark.parametrize("name", ["gemm", "guarded", "stencil", "three_factors"])
def test_the_same_summary_gives_the_same_text(name: str) -> None:
    """Deriving and emitting depend on nothing but the summary."""
    assert emit(derive(program(name))).text == emit(derive(program(name))).text
