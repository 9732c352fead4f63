"""Raise kernels of MLIR and time what comes out: ``python bench/raising.py [--kernel NAME] [--scale S] [--chains]``.

The kernels are those on which Multi-Level Tactics were evaluated: eight of PolyBench, read from C, a convolution and
seven contractions.  A line for each: what it is raised to, the milliseconds of raising with all proofs, and the time of
the original and its speed-up, raised to Linalg and to BLAS.  All three are lowered by the same stock passes of upstream
and compiled by LLVM at -O3 in one process, on one thread; results are compared.  ``--chains`` times matrix chains as
they stand and reordered, ``--overhead`` raising beside lowering; ``--paper`` measures the tables of the paper instead,
and writes them to docs/papers.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import timeit
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from xdsl.dialects.builtin import ModuleOp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.mlir_in_place import load_in_place
from bench.selection import KERNELS
from bench.tactics import CHAINS
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.text import parse_module, print_module
from tensorlift.languages.c import read_c
from tensorlift.mlir import raise_module
from tensorlift.raising.pipeline import run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import IN_PLACE, checked, needed_tools, to_llvm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

POLYBENCH = {
    "2mm": {"ni": 400, "nj": 450, "nk": 500, "nl": 550},
    "3mm": {"ni": 400, "nj": 450, "nk": 500, "nl": 550, "nm": 600},
    "gemm": {"ni": 500, "nj": 550, "nk": 600},
    "atax": {"m": 1900, "n": 2100},
    "bicg": {"m": 1900, "n": 2100},
    "mvt": {"n": 2000},
    "gemver": {"n": 2000},
    "gesummv": {"n": 1300},
}
CONTRACTIONS = {
    "ab-acd-dbc": 96,
    "abc-acd-db": 96,
    "abc-ad-bdc": 96,
    "ab-cad-dcb": 96,
    "abc-bda-dc": 96,
    "abcd-aebf-dfce": 24,
    "abcd-aebf-fdec": 24,
}
CONVOLUTION = "conv2d-nchw"
NAMES = (*POLYBENCH, CONVOLUTION, *CONTRACTIONS)
PIPELINES = {
    "linalg": "raise-affine-to-linalg",
    "blas": "raise-affine-to-linalg,raise-linalg-to-blas",
}
_TOLERANCE = 1e-9
_REPEATS = 3
_START = "from tensorlift.mlir import raise_module; raise_module('module {}')"


@dataclass(frozen=True)
class Row:
    """One kernel: seconds of raising and of running, in the order of the pipelines, and what it was raised to."""

    name: str
    raised_to: str
    raising: float
    original: float
    raised: dict[str, float]


def nest(subscripts: Sequence[tuple[str, ...]], extents: dict[str, int], name: str) -> str:
    """Write a product of two arrays, added to a third, as a nest over all indices; ``y+p`` is a sum of two."""
    indices = list(dict.fromkeys(i for axes in subscripts for axis in axes for i in axis.split("+")))
    split = [[axis.split("+") for axis in axes] for axes in subscripts]
    shapes = [[sum(extents[i] for i in parts) - len(parts) + 1 for parts in axes] for axes in split]
    types = [f"memref<{''.join(f'{extent}x' for extent in shape)}f64>" for shape in shapes]
    places = [f"[{', '.join(' + '.join(f'%{i}' for i in parts) for parts in axes)}]" for axes in split]
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip("CAB", types, strict=True))
    lines = [f"func.func @{name}({arguments}) {{", *(f"affine.for %{i} = 0 to {extents[i]} {{" for i in indices)]
    for letter, place, of_type in zip("CAB", places, types, strict=True):
        lines.append(f"%{letter}_cell = affine.load %{letter}{place} : {of_type}")
    lines += ["%product = arith.mulf %A_cell, %B_cell : f64", "%sum = arith.addf %C_cell, %product : f64"]
    lines += [f"affine.store %sum, %C{places[0]} : {types[0]}", *("}" for _ in indices), "return", "}"]
    return "\n".join(lines) + "\n"


def module_of(name: str, scale: float = 1.0) -> tuple[str, str, dict[str, int]]:
    """Give a kernel as a module, its function, and its sizes."""
    if name in POLYBENCH:
        path = KERNELS / "polybench" / f"{name}.c"
        (function,) = read_c(path.read_text(encoding="utf-8"), str(path))
        assert function.module is not None
        sizes = {size: max(2, round(extent * scale)) for size, extent in POLYBENCH[name].items()}
        return print_module(function.module), function.name, sizes
    if name == CONVOLUTION:
        listed = {"n": 2, "f": 32, "y": 56, "x": 56, "c": 32, "p": 3, "q": 3}
        axes = [("n", "f", "y", "x"), ("n", "c", "y+p", "x+q"), ("f", "c", "p", "q")]
        extents = {i: max(2, round(extent * scale)) if extent > 3 else extent for i, extent in listed.items()}  # noqa: PLR2004 - windows stay
        return nest(axes, extents, "conv2d_nchw"), "conv2d_nchw", {}
    sides = [tuple(side) for side in name.split("-")]
    extents = {i: max(2, round(CONTRACTIONS[name] * scale)) for side in sides for i in side}
    entry = name.replace("-", "_")
    return nest(sides, extents, entry), entry, {}


def arguments_of(text: str, entry: str, sizes: dict[str, int]) -> list[Any]:
    """Draw arguments of a function."""
    rng = np.random.default_rng(0)
    (function,) = (op for op in functions(parse_module(text, "kernel.mlir")) if FunctionView(op).name == entry)
    values: list[Any] = []
    for parameter in FunctionView(function).parameters:
        if parameter.role == "size":
            values.append(sizes[parameter.name])
        elif parameter.role == "scalar":
            values.append(float(rng.uniform(0.5, 1.5)))
        else:
            values.append(rng.standard_normal([extent.at(sizes) for extent in parameter.extents or ()]))
    return values


def timed(text: str, entry: str, values: Sequence[Any], repeats: int = _REPEATS) -> tuple[float, list[Any]]:
    """Compile a module, run its function, and give the least seconds and the arrays behind the first run."""
    (call,) = load_in_place(text, entry)
    best, left = float("inf"), []
    for repeat in range(repeats):
        given = [value.copy() if isinstance(value, np.ndarray) else value for value in values]
        start = time.perf_counter()
        call(*given)
        best = min(best, time.perf_counter() - start)
        if not repeat:
            left = [value for value in given if isinstance(value, np.ndarray)]
    return best, left


def measure(name: str, scale: float = 1.0, repeats: int = _REPEATS) -> Row:
    """Raise a kernel and time it; raise AssertionError where what comes out computes something else."""
    text, entry, sizes = module_of(name, scale)
    values = arguments_of(text, entry, sizes)
    original, expected = timed(text, entry, values, repeats)
    seconds: dict[str, float] = {}
    raising, listed = 0.0, ""
    for form, pipeline in PIPELINES.items():
        start = time.perf_counter()
        result = run_passes(text, f"{name}.mlir", parse_passes(pipeline), guards=False)
        raising = time.perf_counter() - start
        assert "affine.for" not in result.text, f"{name} has loops left"
        seconds[form], found = timed(result.text, entry, values, repeats)
        for one, other in zip(expected, found, strict=True):
            assert np.allclose(one, other, rtol=_TOLERANCE, atol=_TOLERANCE * float(np.abs(one).max())), name
        counts = {what: number for _, found_ in result.counts for what, number in found_.items()}
        called = [f"{n} {w.removeprefix('cblas_')}" for w, n in counts.items() if w.startswith("cblas_")]
        listed = ", ".join(called) or "linalg alone"
    return Row(name, listed, raising, original, seconds)


def chain(extents: Sequence[int]) -> str:
    """Write the product of matrices from left to right, in Linalg on memrefs."""

    def of(rows: int, columns: int) -> str:
        return f"memref<{extents[rows]}x{extents[columns]}xf64>"

    last = len(extents) - 2
    matrices = [f"%A{k + 1}: {of(k, k + 1)}" for k in range(last + 1)]
    lines = [f"func.func @chain({', '.join(matrices)}, %C: {of(0, last + 1)}) {{", "%zero = arith.constant 0.0 : f64"]
    left = "%A1"
    for k in range(1, last + 1):
        result, type_ = ("%C" if k == last else f"%T{k}"), of(0, k + 1)
        lines += [f"{result} = memref.alloc() : {type_}"] * (k < last)
        lines.append(f"linalg.fill ins(%zero : f64) outs({result} : {type_})")
        lines.append(f"linalg.matmul ins({left}, %A{k + 1} : {of(0, k)}, {of(k, k + 1)}) outs({result} : {type_})")
        left = result
    lines += [f"memref.dealloc %T{k} : {of(0, k + 1)}" for k in range(1, last)]
    return "\n".join([*lines, "return", "}"]) + "\n"


def show_chains() -> None:
    """Time the chains of the paper as they stand and reordered, both with calls of BLAS."""
    print(f"{'chain':<44} {'reordering':>11} {'as written':>11} {'reordered':>10}")
    for extents in CHAINS:
        text = chain(extents)
        values = arguments_of(text, "chain", {})
        start = time.perf_counter()
        shorter = run_passes(text, "chain.mlir", parse_passes("reorder-matmul-chain"), guards=False).text
        reordering = time.perf_counter() - start
        seconds = []
        for form in (text, shorter):
            called = run_passes(form, "chain.mlir", parse_passes("raise-linalg-to-blas"), guards=False).text
            seconds.append(timed(called, "chain", values)[0])
        spelled = " x ".join(map(str, extents))
        print(f"{spelled:<44} {reordering * 1e3:>8.0f} ms {seconds[0] * 1e3:>8.0f} ms {seconds[1] * 1e3:>7.0f} ms")


def kernels_together(number: int) -> str:
    """Write so many kernels as one module: those of the paper, and more of PolyBench."""
    texts = [module_of(name)[0] for name in NAMES]
    more = (path for path in sorted((KERNELS / "polybench").glob("*.c")) if path.stem not in POLYBENCH)
    while len(texts) < number:
        path = next(more)
        read = read_c(path.read_text(encoding="utf-8"), str(path))
        texts += [print_module(one.module) for one in read if one.module is not None]
    functions_ = (op for text in texts[:number] for op in functions(parse_module(text, "kernels.mlir")))
    return print_module(ModuleOp([op.clone() for op in functions_]))


def _spent() -> float:
    """Return the seconds that processors have spent on this process and those that it has started."""
    used = [getrusage(whose) for whose in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def show_overhead(number: int = 30) -> None:
    """Time raising a module of many kernels and lowering it beside lowering it as it is, start-up apart.

    What is counted is processor time: other processes of a machine delay one side more than the other.
    """
    tools, text = needed_tools(), kernels_together(number)

    def least(work: Callable[[], object]) -> float:
        return min(timeit.repeat(work, timer=_spent, number=1, repeat=_REPEATS))

    start = least(lambda: subprocess.run([sys.executable, "-c", _START], check=True))
    upstream = least(lambda: checked("module {}", tools))
    raised = raise_module(text).text
    raising = least(lambda: raise_module(text))
    lowering, after = (least(partial(to_llvm, one, tools, IN_PLACE)) - upstream for one in (text, raised))
    print(f"{number} kernels, {text.count(chr(10))} lines")
    print(f"start-up: of upstream's tools {upstream * 1e3:.0f} ms, of raising {start * 1e3:.0f} ms")
    print(f"lowering alone: {lowering * 1e3:.0f} ms")
    print(f"raising, proofs included: {raising * 1e3:.0f} ms; then lowering: {after * 1e3:.0f} ms")
    print(f"together {(raising + after) / lowering:.1f} times lowering alone")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Raise kernels of MLIR and time what comes out.")
    parser.add_argument("--kernel", choices=NAMES, action="append", help="this kernel only (repeatable)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiply extents by this (default: %(default)s)")
    parser.add_argument("--chains", action="store_true", help="time matrix chains instead")
    parser.add_argument("--overhead", action="store_true", help="time raising and lowering beside lowering alone")
    parser.add_argument("--paper", action="store_true", help="write the tables of the tactics' paper to docs/papers.md")
    options = parser.parse_args()
    if options.paper:
        from bench.papers import write  # noqa: PLC0415 - which measures by this module

        write("tactics")
        return 0
    if options.overhead:
        show_overhead()
        return 0
    if options.chains:
        show_chains()
        return 0
    print(f"{'kernel':<16} {'raised to':<22} {'raising':>9} {'original':>10} {'linalg':>8} {'blas':>8}")
    for name in options.kernel or NAMES:
        row = measure(name, options.scale)
        ups = " ".join(f"{row.original / seconds:>7.2f}x" for seconds in row.raised.values())
        print(f"{name:<16} {row.raised_to:<22} {row.raising * 1e3:>6.0f} ms {row.original * 1e3:>7.1f} ms {ups}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
