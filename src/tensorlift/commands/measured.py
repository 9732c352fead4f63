"""How many times faster the functions of one library are than those of another, measured in turns on random inputs."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.commands.benchmark import chosen_sizes
from tensorlift.commands.prepare import prepare
from tensorlift.frontends.c.extents import extents_of
from tensorlift.frontends.c.reader import parser_arguments
from tensorlift.runtime.compilers import OPTIMISED, Compiler, renamed
from tensorlift.runtime.measure import Conditions, measure, prepared_originals
from tensorlift.runtime.original import Build

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.pipeline import LiftOptions
    from tensorlift.runtime.original import Original
    from tensorlift.source import Source

_CONFIDENCE = 0.97
_OPERATIONS = 1e7  # at most, in a call
_ROUNDS = 21


class Ratio(NamedTuple):
    """How many times faster a function is: the median, and the bound below it, as sure as 97 %."""

    median: float
    bound: float


def ratio_of(  # noqa: PLR0913 - what is measured, and how long
    source: Source,
    options: LiftOptions,
    libraries: tuple[Path, Path],
    array_bytes: int,
    *,
    threads: int,
    seconds: float,
) -> Ratio:
    """Measure the one function that ``options`` name in two libraries: how much faster the second one is.

    Raises:
        LiftError: where no inputs are found, or the libraries do not show the function.

    """
    conditions = Conditions(threads=threads, wall_seconds=20)
    prepared = prepare(source, options)
    inputs = prepared.inputs(chosen_sizes(prepared.lifting, array_bytes, _OPERATIONS), conditions.seed)
    calling = _calling(prepared.original, options)
    contenders: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
        for library in libraries:
            linked = ("-Wl,--no-as-needed", str(library))
            build = Build({"C": ("gcc", "cc"), "C++": ("g++", "c++")}, (*OPTIMISED, *linked))
            place = Path(folder) / f"{len(contenders)}"
            place.mkdir()
            contenders += prepared_originals(calling, inputs, [Compiler(f"{len(contenders)}", build)], place)
        samples = measure(inputs, None, contenders, conditions, rounds=_ROUNDS, seconds=seconds).samples
    return ratio(samples["0"], samples["1"])


def ratio(before: Sequence[float], after: Sequence[float]) -> Ratio:
    """Return how many times faster something became, from samples taken in turns."""
    ratios = sorted(was / now for was, now in zip(before, after, strict=True))
    return Ratio(ratios[len(ratios) // 2], ratios[_place_of_bound(len(ratios))])


def _place_of_bound(count: int) -> int:
    """Give the place of the sample that the median lies above, as sure as `_CONFIDENCE`."""
    below, place = 1 / 2**count, 0
    while below + comb(count, place + 1) / 2**count <= 1 - _CONFIDENCE:
        place += 1
        below += comb(count, place) / 2**count
    return place


def _calling(original: Original, options: LiftOptions) -> Original:
    """Let a file call a function of a library in the place of its own."""
    arguments = parser_arguments(options.include_dirs, options.include_files, options.defines, options.std)
    extents = extents_of(original.text, original.filename, arguments)[0]
    return replace(original, text=renamed(original.text, original.filename, options.functions, extents))
