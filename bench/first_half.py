"""Decides the first half of the proof, source = definitions, for the functions of C files.

For each: whether it lifts, whether its literal IR is read, what the checker answers, and the milliseconds of reading
literally, of making the claims, and of deciding them, beside those of reading and summarising.

    python bench/first_half.py [--quiet] FILE ...
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.func import FuncOp

from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import FunctionView
from tensorlift.ir.location import location_of
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.proofs.source.check import check_source
from tensorlift.proofs.source.operations import Undecided
from tensorlift.source import source_from_text
from tensorlift.summarize import summarise
from tensorlift.summarize.claims import claims_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.read_function import ReadFunction


def main() -> None:
    """Print one line for each function, and the totals."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="+", type=Path)
    arguments.add_argument("--why", action="store_true")
    options = arguments.parse_args()
    totals: Counter[str] = Counter()
    times: list[float] = []
    for file in options.files:
        for name, answer, seconds in with_deep_stack(partial(_decide, file)):
            totals[answer.split(":")[0]] += 1
            if seconds:
                times.append(seconds[-1] + seconds[-2] + seconds[-3])
            print(f"{file.name}:{name}", answer, *(f"{1000 * s:.1f}" for s in seconds), flush=True)
    print(dict(totals), f"mean added {1000 * sum(times) / max(len(times), 1):.2f} ms", file=sys.stderr)


def _decide(file: Path) -> list[tuple[str, str, list[float]]]:
    return list(_decided(file))


def _decided(file: Path) -> Iterator[tuple[str, str, list[float]]]:
    source = source_from_text(file.read_text(), str(file))
    for function in read_functions(source, LiftOptions()):
        if function.module is None:
            yield function.name, "not read", []
            continue
        yield function.name, *_one(function, function.module)


def _one(function: ReadFunction, loops: ModuleOp) -> tuple[str, list[float]]:
    (operation,) = (op for op in loops.ops if op.name == "func.func")
    clock = [time.perf_counter()]
    try:
        summary = summarise(operation, places=True)
    except LiftError as error:
        return f"not lifted: {error.diagnostics[0].code}", []
    clock.append(time.perf_counter())
    if function.literally is None:
        return "no literal", []
    try:
        module = function.literally()
    except LiftError as error:
        return f"no literal: {error.diagnostics[0].code} {error.diagnostics[0].message}", []
    (literal,) = (op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == function.name)
    clock.append(time.perf_counter())
    claims = claims_of(literal, FunctionView.of(operation), summary)
    clock.append(time.perf_counter())
    try:
        check_source(literal, summary, claims)
        answer = "decided"
    except Undecided as error:
        place = location_of(error.at) if error.at is not None else None
        answer = f"undecided: {error}{f' at {place.line}:{place.column}' if place else ''}"
    clock.append(time.perf_counter())
    return answer, [b - a for a, b in pairwise(clock)]


if __name__ == "__main__":
    main()
