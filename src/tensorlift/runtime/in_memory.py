"""Programs in C compiled for a run: by each compiler that is here where they are measured, so that the quickest counts.

A program with the signature of the source is called as the original is.  Another one is called over dense arrays.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.runtime.compilers import lifted_builds
from tensorlift.runtime.layout import layout_of
from tensorlift.runtime.original import Original, call_arguments, compile_original
from tensorlift.runtime.sandbox import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tensorlift.ir.function import FunctionView

_FILE = "program.c"


def compiled_program(
    text: str, view: FunctionView, sizes: Mapping[str, int], folder: Path, *, by_all: bool
) -> dict[str, Any]:
    """Compile a program, in ``folder``, and say for the worker how to call it; ``by_all`` asks for every compiler.

    Raises LiftError: TL601 without a compiler, TL602 where it does not compile.
    """
    start = time.perf_counter()
    libraries: dict[str, str] = {}
    for name, build in lifted_builds(by_all=by_all).items():
        place = folder / f"program-{name}"
        place.mkdir()
        libraries[name] = str(compile_original(Original(text, _FILE), view, place, Limits(), build))
    own = {**sizes, **{p.name: sizes[p.name.rstrip("_")] for p in view.parameters if p.name.rstrip("_") in sizes}}
    case, lengths = call_arguments(view, 0, own)
    shapes = {p.name: layout_of(p, own).shape for p in view.parameters if p.role == "array"}
    types = {p.name: NUMPY_TYPES[p.dtype].str for p in view.parameters}
    described = {"libraries": libraries, "case": case, "shapes": shapes, "types": types}
    described["lengths"] = {name: array.tolist() for name, array in lengths.items()}
    return {**described, "written": list(view.written), "load": time.perf_counter() - start}
