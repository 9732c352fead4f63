"""The tables of the paper on Multi-Level Tactics, measured here: ``python bench/raising.py --paper`` writes them.

The kernels are raised by the tactics of ``bench/paper_tactics``, to Linalg and to calls of BLAS, and by the passes of
``tensorlift opt``.  Every form is compiled in the same way, and its results are compared with those of the original.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.papers import table
from bench.published import CHAINS as PUBLISHED_CHAINS
from bench.published import SOURCES, TACTICS, faster
from bench.raising import NAMES, arguments_of, chain, module_of, timed
from bench.tactics import CHAINS
from tensorlift.raising.pipeline import run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.raising.tactics import RaiseWithTactics
from tensorlift.synthesis.tactics.chains import chain_order, parenthesised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.raising.passes import RaisingPass

_TACTICS = Path(__file__).parent / "paper_tactics"
WAYS: dict[str, Callable[[], Sequence[RaisingPass]]] = {
    "tactics to Linalg": lambda: [RaiseWithTactics(file=str(_TACTICS / "linalg.tdl"))],
    "tactics to BLAS": lambda: [RaiseWithTactics(file=str(_TACTICS / "blas.tdl"))],
    "passes to Linalg": lambda: parse_passes("raise-affine-to-linalg"),
    "passes to BLAS": lambda: parse_passes("raise-affine-to-linalg,raise-linalg-to-blas"),
}
# Products of two arrays that the source computes, counted by hand; of a convolution BLAS has none.
SITES = {
    "2mm": 2, "3mm": 3, "gemm": 1, "atax": 2, "bicg": 2, "mvt": 2, "gemver": 4, "gesummv": 2, "conv2d-nchw": 1,
    **dict.fromkeys(NAMES[-7:], 1),
}  # fmt: skip
_TOLERANCE = 1e-9
_PRODUCTS = ("cblas_", "linalg.conv")


@dataclass(frozen=True)
class Raised:
    """A kernel raised in one way: its module, the products in it, and seconds of raising and of running."""

    text: str
    products: int
    raising: float
    running: float = 0.0


def raised(name: str, way: str, scale: float = 1.0) -> Raised:
    """Raise a kernel, all replacements proved."""
    text = module_of(name, scale)[0]
    passes = WAYS[way]()
    start = time.perf_counter()
    result = run_passes(text, f"{name}.mlir", passes, guards=False)
    seconds = time.perf_counter() - start
    counts = [(what, number) for _, found in result.counts for what, number in found.items()]
    return Raised(result.text, sum(n for what, n in counts if what.startswith(_PRODUCTS)), seconds)


def _measured(name: str, scale: float) -> tuple[float, float, dict[str, Raised]]:
    """Measure a kernel; give the seconds of reading it alone and of running the original, and all ways."""
    text, entry, sizes = module_of(name, scale)
    start = time.perf_counter()
    run_passes(text, f"{name}.mlir", [], guards=False)
    reading = time.perf_counter() - start
    values = arguments_of(text, entry, sizes)
    original, expected = timed(text, entry, values)
    found: dict[str, Raised] = {}
    for way in WAYS:
        one = raised(name, way, scale)
        running, left = timed(one.text, entry, values)
        for wanted, given in zip(expected, left, strict=True):
            assert np.allclose(wanted, given, rtol=_TOLERANCE, atol=_TOLERANCE * float(np.abs(wanted).max())), name
        found[way] = replace(one, running=running)
    return reading, original, found


def section(scale: float = 1.0) -> str:
    """Measure all of it, and give the section."""
    measured = {name: _measured(name, scale) for name in NAMES}
    sites = [
        (name, str(SITES[name]), *(str(ways[way].products) for way in ("tactics to BLAS", "passes to BLAS")))
        for name, (*_, ways) in measured.items()
    ]
    found = sum(ways["tactics to BLAS"].products for *_, ways in measured.values())
    times = [
        (name, f"{original * 1e3:.1f} ms", *(f"{original / one.running:.2f}x" for one in ways.values()))
        for name, (_, original, ways) in measured.items()
    ]
    overhead = [
        (name, f"{reading * 1e3:.0f} ms", *(f"{ways[way].raising * 1e3:.0f} ms" for way in list(WAYS)[:2]))
        for name, (reading, _, ways) in measured.items()
    ]
    return "\n".join(
        [
            "Lorenzo Chelini, Andi Drebes, Oleksandr Zinenko, Albert Cohen, Nicolas Vasilache, Tobias Grosser,",
            "Henk Corporaal: Progressive Raising in Multi-level IR, CGO 2021. Written by",
            "`python bench/raising.py --paper`. The tactics are those of `bench/paper_tactics`; every replacement is",
            "proved, and all results are compared with those of the original.\n",
            f"Call sites (Figure 8): {found} of {sum(SITES.values())} products are found by tactics.\n",
            table(("kernel", "products in the source", "found by tactics", "found by passes"), sites),
            "Times (Figure 9), on one thread: the original, lowered by upstream's passes and compiled by LLVM at",
            "`-O3`, and how many times faster what it is raised to is, compiled in the same way; calls are those of",
            "OpenBLAS. Other work of the machine takes their caches.\n",
            table(("kernel", "original", *WAYS), times),
            f"Published, {SOURCES['times']}: the least of five runs on an",
            "i9-9900K in single precision, by clang at `-O3`, and how many times faster it is raised; calls are those",
            "of MKL.\n",
            table(("kernel", "clang", *list(WAYS)[:2]), map(_published, TACTICS)),
            "Chains of matrices (Table II), both with calls of BLAS:\n",
            table(
                (*("chain", "order", "multiplications", "reordered", "time as written", "reordered"), *_FASTER),
                _chains(),
            ),
            f"Published, {SOURCES['chains']}: the least of five runs on a",
            "Xeon, loops without BLAS. Figure 8 is drawn: that sites are found the README says of three kernels.\n",
            "Overhead: the time that `opt` takes to read and print a module alone, and to raise it with tactics, all",
            "proofs included.\n",
            table(("kernel", "nothing raised", "tactics to Linalg", "tactics to BLAS"), overhead),
        ]
    )


_FASTER = ("faster", "published")


def _published(name: str) -> tuple[str, ...]:
    before, *after = TACTICS[name]
    return (name, f"{before * 1e3:.1f} ms", *(faster(before, one) for one in after))


def _chains() -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for extents in CHAINS:
        text = chain(extents)
        values = arguments_of(text, "chain", {})
        shorter = run_passes(text, "chain.mlir", parse_passes("reorder-matmul-chain"), guards=False).text
        seconds = []
        for form in (text, shorter):
            called = run_passes(form, "chain.mlir", parse_passes("raise-linalg-to-blas"), guards=False).text
            seconds.append(timed(called, "chain", values)[0])
        order = chain_order(extents)
        written = sum(extents[0] * a * b for a, b in pairwise(extents[1:]))
        names = [f"A{k + 1}" for k in range(len(extents) - 1)]
        costs = (f"{written:.3g}", f"{order.cost:.3g}", f"{seconds[0] * 1e3:.0f} ms", f"{seconds[1] * 1e3:.0f} ms")
        factors = faster(*seconds), faster(*PUBLISHED_CHAINS[len(extents) - 1])
        rows.append((" x ".join(map(str, extents)), f"`{parenthesised(order.tree, names)}`", *costs, *factors))
    return rows
