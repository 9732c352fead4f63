"""The tables of three papers, measured here: ``python -m bench.engines --paper mlirsynth``, or ``tensorize``.

What is measured is written to a section of ``docs/papers.md``: which of the paper's kernels are found, what the search
counted, what each heuristic leaves out, and how the search grows with the operations of a program.  Figures of
others are in `bench/published.py`.  The tables of TENSORIZE are in
`bench/tensorize_tables.py`; the third paper is on tactics (`bench/raising_tables.py`).
"""

from __future__ import annotations

import os
import random
import re
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from bench import published
from bench.kernels.catalogue import ROOT
from bench.kernels.sizes import small_sizes
from bench.selection import listed
from tensorlift.engines import HEURISTICS
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source, source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tensorlift.engines import Limits
    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

PAGE = Path(__file__).parent.parent / "docs" / "papers.md"
HEAD = """# Papers

Two papers search for tensor programs as engines of tensorlift do, and one raises by tactics. Their kernels, measured
here in processor time of one core, as others load the machine; speed-ups of libraries are by the clock. Each section is
written by the command that it names. Every program that counts as found is proved. Published figures are from other
machines, and from the repositories of the papers' authors and artefacts; the text of the papers was not at hand, so
that what stands in their tables alone is missing here.
"""
MLIRSYNTH = (
    "2mm", "3mm", "atax", "bicg", "correlation", "covariance", "doitgen", "gemm", "gesummv", "mvt", "symm", "syr2k",
    "syrk",
)  # fmt: skip
_PUBLISHED = f"""Published are the seconds of mlirSynth in the evaluation of TENSORIZE, within an hour:
{published.SOURCES["others"]}. The candidates that it counted stand in a table of the paper
that was not at hand. In its abstract, programs are 2.5 times (Intel) and 3.4 times (AMD) as fast as by compilers of C
at the geometric mean, and 21.6 times on a TPU; here nothing of that kind is measured for this section.
"""
_COUNTS = ("enumerated", "filtered", "evaluated", "equivalent", "kept", "matched", "rejected")
_LONGEST = 7  # operations of the programs by which growth is told
_PROGRAMS = 9  # of each length


@dataclass(frozen=True)
class Found:
    """What became of one kernel with `enumerate`: whether it is proved, seconds of search, and what was counted."""

    is_proved: bool
    seconds: float
    counts: dict[str, int]

    @staticmethod
    def of(function: FunctionRecord) -> Found:
        """Take it from the record of a function."""
        counts = {name: sum(run.counts.get(name, 0) for run in function.engines) for name in (*_COUNTS, "operations")}
        return Found(function.level is Level.PROVED, function.seconds.get("derive", 0.0), counts)


def write(paper: str, **settings: bool) -> None:
    """Measure the tables of a paper, as its ``settings`` say, and write its section, with the load meanwhile.

    Seconds are processor time, of which others take less than of what a clock shows.
    """
    title, section = _SECTIONS[paper]
    before, start, day = _load(), time.process_time(), time.strftime("%Y-%m-%d")
    with patch.object(time, "perf_counter", time.process_time):
        measured = section(**settings)
    took = f"{time.process_time() - start:.0f} s of processor time"
    loads = f"on {os.cpu_count()} cores for which {before} processes asked when it began, {_load()} when it ended"
    load = f"Measured on {day} in {took},\n{loads}."
    text = f"## {title}\n\n{load}\n\n{measured}"
    known = PAGE.read_text(encoding="utf-8") if PAGE.exists() else HEAD
    sections = {part.partition("\n")[0]: f"## {part}" for part in re.split(r"^## ", known, flags=re.MULTILINE)[1:]}
    sections[title] = text
    in_order = [sections[name].strip() for name, _ in _SECTIONS.values() if name in sections]
    PAGE.write_text("\n\n".join([HEAD.strip(), *in_order]) + "\n", encoding="utf-8")
    print(text)


def _load() -> str:
    """Say how many processes wanted to run in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def _mlirsynth() -> str:
    kernels = [entry for entry in listed() if entry["suite"] == "polybench" and entry["name"] in MLIRSYNTH]
    found = {target: {e["name"]: _found(e, target) for e in kernels} for target in ("stablehlo", "linalg")}
    head = (
        "Alexander Brauckmann, Elizabeth Polgreen, Tobias Grosser, Michael F. P. O'Boyle: mlirSynth: Automatic,\n"
        "Retargetable Program Raising in Multi-Level IR using Program Synthesis, 2023\n"
        "([arXiv:2310.04196](https://arxiv.org/abs/2310.04196)). Written by\n"
        "`python -m bench.engines --paper mlirsynth`, which lifts with the engine `enumerate` alone.\n\n"
        f"{_coverage(found)}, with {_gigabytes()} GB of memory at most.\n"
    )
    statistics = table(
        ("kernel", "seconds", *_COUNTS, "published: seconds"),
        (
            (
                name,
                f"{one.seconds:.2f}",
                *(f"{one.counts[count]:,}" for count in _COUNTS),
                published.MLIRSYNTH[name],
            )
            for name, one in found["stablehlo"].items()
        ),
    )
    rates = [one.counts["evaluated"] / one.seconds for one in found["stablehlo"].values()]
    return "\n".join([
        head,
        f"To StableHLO at small sizes, {median(rates):,.0f} candidates a second at the median: searches that end",
        "so soon mostly prepare. Long ones evaluate millions a second ([engines.md](engines.md)).\n",
        statistics,
        _PUBLISHED,
        "To Linalg, for all sizes:\n",
        table(
            ("kernel", "seconds", "enumerated", "kept"),
            (
                (name, f"{one.seconds:.2f}", f"{one.counts['enumerated']:,}", f"{one.counts['kept']:,}")
                for name, one in found["linalg"].items()
            ),
        ),
        "Candidates to StableHLO without one heuristic, and without all; `-` is a search that found nothing in",
        "16 million candidates or six operations.\n",
        _ablation(kernels),
        f"Random sums and products of vectors and numbers in one loop, {_PROGRAMS} for each number of operations,",
        "to NumPy: candidates at the median.\n",
        _growth(),
    ])  # fmt: skip


def _tensorize(**settings: bool) -> str:
    from bench.tensorize_tables import section  # noqa: PLC0415 - which uses this module

    return section(**settings)


def _tactics() -> str:
    from bench.raising_tables import section  # noqa: PLC0415 - which compiles

    return section()


_SECTIONS: dict[str, tuple[str, Callable[..., str]]] = {
    "mlirsynth": ("mlirSynth", _mlirsynth),
    "tensorize": ("TENSORIZE", _tensorize),
    "tactics": ("Multi-Level Tactics", _tactics),
}


def _found(entry: dict[str, Any], target: str, heuristics: tuple[str, ...] = HEURISTICS) -> Found:
    path = ROOT / entry["file"]
    sizes = tuple(small_sizes(path, entry["function"])[-1].items()) if get_target(target).takes_sizes else ()
    options = LiftOptions(
        (entry["function"],),
        target,
        include_dirs=(str(path.parent),),
        engine="enumerate",
        heuristics=heuristics,
        sizes=sizes,
    )
    return _lifted(read_source(str(path)), options)


def _lifted(source: Source, options: LiftOptions) -> Found:
    (function,) = lift_source(source, options).functions
    return Found.of(function)


def _coverage(found: dict[str, dict[str, Found]]) -> str:
    counts = [f"{sum(f.is_proved for f in by.values())} of {len(by)} to {target}" for target, by in found.items()]
    worst = max((one.seconds, name) for by in found.values() for name, one in by.items())
    return f"Found: {' and '.join(counts)}, the slowest `{worst[1]}` in {worst[0]:.1f} s of search"


def _gigabytes() -> str:
    """Say how much memory the process took at most, which Linux counts in kilobytes."""
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f}"


def _ablation(kernels: list[dict[str, Any]]) -> str:
    choices = {"all": HEURISTICS} | {f"no {name}": tuple(h for h in HEURISTICS if h != name) for name in HEURISTICS}
    choices["none"] = ()
    rows = []
    for entry in kernels:
        found = [_found(entry, "stablehlo", heuristics) for heuristics in choices.values()]
        rows.append((entry["name"], *(f"{one.counts['enumerated']:,}" if one.is_proved else "-" for one in found)))
    return table(("kernel", *choices), rows)


def _growth() -> str:
    rows = []
    for length in range(1, _LONGEST + 1):
        row = [str(length)]
        for heuristics in (HEURISTICS, ("operations", "reductions")):
            found = [_of_program(seed, length, heuristics) for seed in range(_PROGRAMS)]
            proved = [one.counts["enumerated"] for one in found if one.is_proved]
            row += [f"{len(proved)} of {_PROGRAMS}", f"{median(proved):,.0f}" if proved else "-"]
        rows.append(row)
    return table(("operations", "found", "candidates", "found without monomials and parts", "candidates"), rows)


def _of_program(seed: int, length: int, heuristics: tuple[str, ...]) -> Found:
    limits: Limits = (("operations", length),)
    options = LiftOptions(engine="enumerate", heuristics=heuristics, limits=limits)
    return _lifted(source_from_text(program(seed, length), "program.c"), options)


def program(seed: int, length: int) -> str:
    """Return a function in C with one loop, in which a cell takes so many sums and products of cells and numbers."""
    rng = random.Random(f"{seed} {length}")
    arrays = ", ".join(f"double x{k}[n]" for k in range(3))

    def drawn(operations: int) -> str:
        if not operations:
            return rng.choice(("x0[i]", "x1[i]", "x2[i]", "a", "b"))
        left = rng.randrange(operations)
        return f"({drawn(left)} {rng.choice('+*')} {drawn(operations - 1 - left)})"

    cells = f"for (int i = 0; i < n; i++) y[i] = {drawn(length)};"
    return f"void f(int n, double a, double b, {arrays}, double y[n]) {{ {cells} }}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
