"""Programs of JAX for irregular loops, one of each kind, are compiled, mapped and differentiated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench.irregular import FOLDER
from tests.lifts import lifted

from tensorlift.pipeline import LiftOptions
from tensorlift.runtime.program import arguments_for, load_program
from tensorlift.source import read_source

if TYPE_CHECKING:
    from types import ModuleType

_X = np.array([0.3, -1.2, 2.5, 0.7, -0.4, 1.9])
_Y = np.array([1.1, 0.6, -0.8, 0.2, 1.4, -2.1])
_A, _B = np.outer(_X, _Y) + 0.1 * np.arange(36).reshape(6, 6), np.cos(np.arange(36.0)).reshape(6, 6)
_AT = np.array([2, 0, 5, 1, 3, 4], np.int32)
_KEY = np.array([2, 0, 2, 1, 2, 0], np.int32)
_PTR = np.array([0, 2, 2, 5, 6], np.int32)
_ZEROS = np.zeros(6)
# Of each kind, the program and its arguments; the first is what it is mapped over, and differentiated by.
_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "gather": ("gather", {"x": _X, "idx": _AT, "y": _ZEROS}),
    "scatter": ("scatter", {"x": _X, "idx": _KEY, "y": _Y}),
    "scatter_add": ("weighted_histogram", {"w": _X, "bin": _KEY, "h": _Y[:3]}),
    "extremes by key": ("scatter_add.largest_by_key", {"v": _X, "key": _KEY, "best": -np.ones(3)}),
    "segments": ("spmv", {"val": _X, "x": _Y, "col": _AT, "ptr": _PTR, "y": _ZEROS[:4]}),
    "compaction": ("compress_positive", {"x": _X, "out": _ZEROS}),
    "first_hit": ("sum_until_negative", {"x": np.abs(_Y) - 1.5 * (_AT == 4)}),
    "recurrences": ("linear", {"b": _X, "a": _Y, "h0": 0.5, "h": _ZEROS}),
    "filters": ("recurrences.second_order", {"x": _X, "p": 0.5, "q": -0.25, "y": _Y}),
    "scans": ("forward_fill", {"x": np.maximum(_X, 0), "y": _ZEROS}),
    "conditional carries": ("scans.reset_sum", {"x": _X, "reset": _KEY, "out": _ZEROS}),
    "wavefronts": ("time_warp", {"x": _X, "y": _Y, "D": _B}),
    "strides": ("saxpy", {"x": _A[:, :3], "a": 1.5, "y": _B[:, :2]}),
    "quotients": ("polyphase", {"x": _X, "h": _Y[:4], "y": _ZEROS}),
    "boundaries": ("heat_torus", {"u": _A, "v": _B}),
    "extremes": ("top_under", {"score": _X, "ok": _KEY, "top": 0.0, "index": 0}),
    "complex": ("zdotc", {"x": np.stack([_X, _Y], -1), "y": np.stack([_Y, _X], -1)}),
    "guarded": ("safe_ratio", {"p": _X, "r": _KEY * 2.0, "q": _ZEROS}),
}


def _program(kind: str, name: str) -> Any:
    """Load the program of a function of a file, which is named before it where it is not the kind."""
    file, _, function = name.rpartition(".")
    source = read_source(str(FOLDER / f"{file or kind}.c"))
    (record,) = lifted(source, LiftOptions((function,), "jax")).functions
    return load_program(record.program, function)


@pytest.mark.in_turns(4)
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("kind", _KINDS)
def test_programs_are_compiled_mapped_and_differentiated(jax: ModuleType, kind: str) -> None:
    name, arguments = _KINDS[kind]
    (varied, x), *_ = arguments.items()
    arguments = {given: jax.numpy.asarray(value) if np.ndim(value) else value for given, value in arguments.items()}
    program = _program(kind, name)
    weights = np.linspace(0.5, 2.0, 97)

    def total(x: Any) -> Any:
        """Weigh all floats of the results."""
        results = program(**arguments_for(program, arguments | {varied: x}))
        floats = (r.ravel() for r in jax.tree.leaves(results) if jax.numpy.issubdtype(r.dtype, jax.numpy.floating))
        return sum((value * weights[: value.size]).sum() for value in floats)

    direction = np.cos(np.arange(x.size)).reshape(x.shape)
    step = 1e-6 * direction
    near = jax.numpy.stack([x, x - step, x + step])
    compute = jax.jit(lambda x, near: (total(x), jax.vmap(total)(near), jax.grad(total)(x)))
    once, (mapped, below, above), slopes = compute(x, near)
    np.testing.assert_allclose([once, mapped], total(jax.numpy.asarray(x)), rtol=1e-12)
    np.testing.assert_allclose((slopes * direction).sum(), (above - below) / 2e-6, rtol=1e-5, atol=1e-8)


@pytest.mark.usefixtures("wide")
def test_unbounded_loops_are_compiled_mapped_and_differentiated_forwards(jax: ModuleType) -> None:
    newton = _program("convergence", "newton_sqrt")
    squares = jax.numpy.array([2.0, 9.0, 0.25])
    mapped, slopes = jax.jit(lambda a: jax.jvp(jax.vmap(lambda a: newton(a, 1e-14, 50)), (a,), (a,)))(squares)
    np.testing.assert_allclose(mapped, np.sqrt(squares))
    np.testing.assert_allclose(slopes, np.sqrt(squares) / 2)
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.grad(newton)(2.0, 1e-14, 50)
