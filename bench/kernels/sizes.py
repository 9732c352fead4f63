"""Small sizes at which a reference kernel can be called, for targets whose shapes are static."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.kernels.catalogue import read
from tensorlift.contract.required import required
from tensorlift.ir.function import FunctionView, functions
from tensorlift.runtime.data import seeded
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.summarize import summarise

if TYPE_CHECKING:
    from pathlib import Path


def small_sizes(path: Path, function: str, count: int = 3, largest: int = 7) -> tuple[dict[str, int], ...]:
    """Choose up to ``count`` sets of sizes of a kernel in a file, the smallest one first."""
    (module,) = (one.module for one in read(path) if one.name == function)
    if module is None:
        return ()
    (func_op,) = functions(module)
    view = FunctionView(func_op)
    summary = summarise(func_op, nonempty=True)
    defined = summary.context & required(view)
    return choose_sizes(view.parameters, defined, seeded(5), count, largest=largest, derived=summary.derived)
