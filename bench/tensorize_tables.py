"""The tables of the paper on TENSORIZE, measured here: ``python -m bench.engines --paper tensorize`` writes them.

Table 2 counts what the search did for each suite.  What Figures 7 to 10 show the plots of its authors tell; there is
one table for each, of what such a paper measures: speed-ups over the original, coverage against a limit of time, the
time of each engine, what each kind of sketch is good for, and growth with the operations of a program.  Speed-ups are
those of some kernels of each suite on small arrays, with ``--large`` of all kernels on large ones.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from bench import tensor_programs
from bench.engines import cell
from bench.kernels.catalogue import ROOT
from bench.papers import MLIRSYNTH, table
from bench.published import COVERAGE, SOURCES
from bench.selection import listed
from tensorlift.commands.benchmark import Settings, benchmark
from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import functions
from tensorlift.measurement import BACKEND, geometric_mean
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.runtime.backends import chosen_backends, missing
from tensorlift.runtime.measure import Conditions
from tensorlift.source import read_source
from tensorlift.summarize import summarise
from tensorlift.synthesis.simplify import simplify
from tensorlift.synthesis.sketch import KINDS, Run, sketch, sketch_whole
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.engines import Cell
    from tensorlift.comprehension.definition import Summary

    Entry = dict[str, Any]
    Row = tuple[str, ...]

KERNELS = (*MLIRSYNTH, "gemver", "trmm")  # of PolyBench, beside all other suites but two that are written here
_OWN_SUITES = {"polybench_macros", "llama_float"}
SKETCHES = {"sketch-whole": sketch_whole, "sketch": sketch}
ENGINES = ("derive", "tactics", *SKETCHES, "enumerate")
COUNTS = {
    "steps": "steps", "backtracks": "backtracks", "matched": "known", "patterns": "by pattern",
    "algebraic": "by algebra",
}  # fmt: skip
_LIMITS = (0.01, 0.03, 0.1, 0.3, 1.0, 10.0)  # seconds
_BACKENDS = {"numpy": "NumPy", "jax": "JAX", "torch": "PyTorch"}
_GPU = {"JAX on a GPU": "no device", "PyTorch on a GPU": "no device"}
_EACH = 2  # kernels of a suite whose programs run
_BYTES, _OPERATIONS = 1 << 20, 1e7  # of the largest array, and of a call, at most
_LARGE_BYTES, _LARGE_OPERATIONS = 4 << 20, 4e9
_PROGRAMS = 5  # of each length


@dataclass(frozen=True)
class Ablated:
    """What a search with some kinds of sketches did for one kernel; a program that is found is not proved here."""

    is_found: bool
    seconds: float
    steps: int
    backtracks: int


def kernels() -> dict[str, list[Entry]]:
    """Return the paper's kernels by suite."""
    found: dict[str, list[Entry]] = {}
    for entry in listed():
        suite = entry["suite"]
        if suite not in _OWN_SUITES and (suite != "polybench" or entry["name"] in KERNELS):
            found.setdefault(suite, []).append(entry)
    return dict(sorted(found.items()))


def section(*, is_large: bool = False) -> str:
    """Measure all of it, and give the section."""
    suites = kernels()
    cell(suites["blas"][0], "enumerate", "numpy")  # loads every room
    cells = {
        engine: {suite: [cell(entry, engine, "numpy") for entry in entries] for suite, entries in suites.items()}
        for engine in ENGINES
    }
    number = sum(map(len, suites.values()))
    refused = [f"- `{c.kernel}` by `{c.engine}`: {c.remark}" for c in _all(cells) if not c.is_lifted]
    return "\n".join([
        "Alexander Brauckmann, Luc Jaulmes, José W. de Souza Magalhães, Elizabeth Polgreen, Michael F. P. O'Boyle:",
        "TENSORIZE: Fast Synthesis of Tensor Programs from Legacy Code using Symbolic Tracing, Sketching and Solving,",
        "CGO 2025, pages 15 to 30. Written by `python -m bench.engines --paper tensorize`, with `--large` for all",
        "kernels and large arrays in the table of speed-ups.\n",
        f"Its {number} kernels ({', '.join(suites)})",
        "are lifted to NumPy for all sizes. Not found:\n",
        "\n".join(refused or ["- none"]),
        "\n### Table 2: what the search did\n",
        _COUNTED,
        *(_counted(cells[engine], engine) for engine in SKETCHES),
        "### Figures 7 to 11\n",
        _FIGURES,
        "Speed-ups on CPUs and GPUs: how many times faster a lifted program is than its original in C at",
        "`-O3 -march=native` by gcc, on one thread, warm; geometric means of the least times.",
        f"{_conditions(is_large)} A call of a library takes microseconds,",
        "which small arrays do not pay for, and what goes once over an array in C goes several times in a library.\n",
        table(
            ("suite", "kernels measured", *_BACKENDS.values(), *_GPU),
            [_speedups(suite, entries, is_large) for suite, entries in suites.items()],
        ),
        "Coverage against a limit of time: kernels that are read, lifted and proved within so many seconds.\n",
        table(("engine", *(f"{limit:g} s" for limit in _LIMITS)), [_coverage(cells[e], e, number) for e in ENGINES]),
        _OTHERS,
        table(("suite", "Tenspiler", "mlirSynth", "Multi-Level Tactics"), [(s, *own) for s, own in COVERAGE.items()]),
        "Time of synthesis: milliseconds of the search at the median of a suite, without reading and proof, of kernels",
        "that are found.\n",
        table(("suite", *ENGINES), [_times(suite, cells) for suite in suites]),
        "What each kind of sketch is good for: kernels for which the engine finds a program that has the definition's",
        "cells at two sets of sizes, with steps, backtracks and seconds of the search in all. Without patterns no",
        "sketch follows how nodes were made, so that functions, selections and folds that are no sums are out of",
        "reach; without algebra none solves for a hole by homogeneity or derivatives. Only the first form of the",
        "definitions is searched here: that of `softmax_part1` which is found above is for loops that are not empty.\n",
        table(("engine", "sketches", "found", "steps", "backtracks", "seconds"), _ablation(suites)),
        "Growth: median seconds of the search for random programs with one loop nest for each operation,",
        f"{_PROGRAMS} of each length, and how many are found and proved.\n",
        table(("engine", *(f"{length} operations" for length in tensor_programs.LENGTHS)), _growth()),
    ])  # fmt: skip


_COUNTED = """Steps are goals taken up, backtracks sketches given up; known are goals that are a view of an array, a
number or a size. The last two columns are goals that a sketch solved: by the pattern of how their nodes were made (a
function of operands, a selection, a fold, a sum of products), or by algebra, which solves for what an array is
multiplied by or added to. Times are seconds in all.

The paper's table was not at hand, nor do the authors' repositories hold its numbers, so that what differs cannot be
told. Another search may count otherwise where it does not do as this one does. Here a goal is an array of elements of a
field, so that equal goals are one and each is taken up once. What is known is found before a sketch is tried. Nodes
that have one way of being made propose one sketch. `sketch` cuts at each loop nest, `sketch-whole` does not. Each
program is proved for all sizes, timed apart.
"""
_FIGURES = f"""By {SOURCES["plots"]}, Figure 7 shows geometric means of
speed-ups over LLVM at `-O3` on an i7-8700K, a Ryzen 9 7950X and a GTX 1080 Ti, Figure 8 the kernels of each suite
that are lifted within a minute, Figure 9 those lifted within a time of up to an hour, and Figure 10 that time by the
depth of loops and the length of programs; what Figure 11 shows was not found. Measured here are quantities of that
kind, with the engine `sketch` where none is named. No GPU was at hand; `bench/gpu.py` measures on one.
"""
_OTHERS = f"""How many kernels others lift, within a minute and within an hour, as published in
{SOURCES["others"]}; those of Multi-Level Tactics have
no times. Times of TENSORIZE itself are not there. It has 14 kernels of PolyBench, `trmm` is not among them.
"""


def _all(cells: dict[str, dict[str, list[Cell]]]) -> Iterator[Cell]:
    return (one for by_suite in cells.values() for column in by_suite.values() for one in column)


def _counted(by_suite: dict[str, list[Cell]], engine: str) -> str:
    whole = [one for column in by_suite.values() for one in column]
    columns = {**by_suite, "all": whole}
    head = (f"suite, `{engine}`", "found", *COUNTS.values(), "search", "with proof")
    return table(head, [counted(suite, column) for suite, column in columns.items()])


def counted(suite: str, column: Sequence[Cell]) -> Row:
    """Return the row of a suite in Table 2."""
    counts = {name: sum(one.counts.get(name, 0) for one in column) for name in (*COUNTS, "solved")}
    counts["patterns"] = counts.pop("solved") - counts["algebraic"]
    found = f"{sum(one.is_lifted for one in column)} of {len(column)}"
    seconds = (sum(one.search for one in column), sum(one.total for one in column))
    return (suite, found, *(f"{counts[name]:,}" for name in COUNTS), *(f"{s:.2f}" for s in seconds))


def _coverage(by_suite: dict[str, list[Cell]], engine: str, number: int) -> Row:
    seconds = [one.total for column in by_suite.values() for one in column if one.is_lifted]
    return (engine, *(f"{sum(s <= limit for s in seconds)} of {number}" for limit in _LIMITS))


def _times(suite: str, cells: dict[str, dict[str, list[Cell]]]) -> Row:
    found = [[one.search * 1e3 for one in cells[engine][suite] if one.is_lifted] for engine in ENGINES]
    return (suite, *(f"{median(times):.1f}" if times else "-" for times in found))


def _conditions(is_large: bool) -> str:  # noqa: FBT001 - as the option says
    size, which = (_LARGE_BYTES, "All kernels") if is_large else (_BYTES, f"At most {_EACH} kernels of a suite")
    return f"{which}, with arrays of {size >> 20} MiB at most."


def _speedups(suite: str, entries: Sequence[Entry], is_large: bool) -> Row:  # noqa: FBT001 - as above
    chosen = entries if is_large else [entries[place * len(entries) // _EACH] for place in range(_EACH)]
    chosen = [entry for place, entry in enumerate(chosen) if entry not in chosen[:place]]
    found = [speedups(entry, is_large=is_large) for entry in chosen]
    cells = []
    for backend in chosen_backends(list(_BACKENDS)):
        mean = geometric_mean([one[backend.name] for one in found if backend.name in one])
        cells.append("not installed" if missing(backend) else "-" if mean is None else f"{mean:.2f}x")
    return (suite, ", ".join(entry["name"] for entry in chosen), *cells, *_GPU.values())


def speedups(entry: Entry, *, is_large: bool = False) -> dict[str, float]:
    """Measure the program that `sketch` finds for a kernel on each backend that runs it; results must agree."""
    path = ROOT / entry["file"]
    settings = Settings(
        chosen_backends(list(_BACKENDS)),
        ("gcc",),
        array_bytes=_LARGE_BYTES if is_large else _BYTES,
        most_operations=_LARGE_OPERATIONS if is_large else _OPERATIONS,
        rounds=7,
        seconds=0.1,
        conditions=Conditions(threads=1, wall_seconds=30),
    )

    def lifting(target: str) -> LiftOptions:
        return LiftOptions((entry["function"],), target, include_dirs=(str(path.parent),), engine="sketch")

    record = benchmark(read_source(str(path)), lifting, settings)
    contenders = [contender for contender in record.contenders if contender.kind == BACKEND]
    assert not any(contender.agreement == "differs" for contender in contenders), entry["name"]
    figures = {contender.name: record.speedup_of_least(contender) for contender in contenders}
    return {name: figure for name, figure in figures.items() if figure is not None}


def _ablation(suites: dict[str, list[Entry]]) -> Iterator[Row]:
    summaries = [_summary(entry) for entries in suites.values() for entry in entries]
    choices = {"all": KINDS} | {f"no {kind}": tuple(k for k in KINDS if k != kind) for kind in KINDS}
    for engine in SKETCHES:
        for name, kinds in choices.items():
            found = [ablated(summary, engine, kinds) for summary in summaries]
            steps, backtracks = sum(one.steps for one in found), sum(one.backtracks for one in found)
            number = f"{sum(one.is_found for one in found)} of {len(found)}"
            yield engine, name, number, f"{steps:,}", f"{backtracks:,}", f"{sum(one.seconds for one in found):.2f}"


def ablated(summary: Summary, engine: str, kinds: tuple[str, ...]) -> Ablated:
    """Search with some kinds of sketches."""
    run = Run(kinds=kinds)
    start = time.perf_counter()
    try:
        SKETCHES[engine](summary, get_target("numpy"), run)
        is_found = True
    except LiftError:
        is_found = False
    return Ablated(is_found, time.perf_counter() - start, run.statistics.steps, run.statistics.backtracks)


def _summary(entry: Entry) -> Summary:
    path = ROOT / entry["file"]
    (read,) = read_functions(
        read_source(str(path)), LiftOptions((entry["function"],), include_dirs=(str(path.parent),))
    )
    assert read.module is not None
    return simplify(summarise(functions(read.module)[0]))


def _growth() -> Iterator[Row]:
    for engine in SKETCHES:
        row = [engine]
        for length in tensor_programs.LENGTHS:
            found = [tensor_programs.result(seed, length, engine) for seed in range(_PROGRAMS)]
            proved = sum(one.is_proved for one in found)
            row.append(f"{median(one.search for one in found):.3f}, {proved} of {_PROGRAMS}")
        yield tuple(row)
