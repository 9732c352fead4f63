"""Measure the forms of programs: ``OPENBLAS_NUM_THREADS=1 python bench/forms.py [--to torch] [--kernel K]``.

Each kernel that a form changes is run as derived and in each form, in turns in this process, which keeps freed memory,
at sizes of large arrays.  A line gives for each form how many times as fast as what is derived it was measured to be,
and in parentheses was estimated to be; at the end stands for how many kernels the form that the cost model chooses
takes at most 1.3 times as long as the best.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

import numpy as np

from bench.selection import KERNELS, add_selection, selected
from tensorlift.commands.benchmark import chosen_sizes
from tensorlift.ir.cost import cost_of
from tensorlift.pipeline import LiftOptions, lift_to_run
from tensorlift.runtime.data import random_arguments, seeded
from tensorlift.runtime.measure_worker import keep_memory
from tensorlift.source import read_source
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.forms import formed
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tensorlift.interface import Lifting
    from tensorlift.targets.target import Target

    Call = Callable[[], object]

_GOOD = 1.3  # times as long as the best
_ROUNDS = 7
_LEAST = 0.01  # seconds of a sample
_BYTES, _OPERATIONS = 4 << 20, 2e8  # of the largest array, of a call
_DERIVED = "as derived"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Measure the forms of programs.")
    parser.add_argument("--to", default="numpy", choices=["numpy", "torch"], help="the target")
    add_selection(parser)
    options = parser.parse_args()
    keep_memory()
    target, good, count = get_target(options.to), 0, 0
    for entry in selected(options):
        path = KERNELS / entry["file"]
        lifting_options = LiftOptions((entry["function"],), include_dirs=(str(path.parent),))
        _, found = lift_to_run(read_source(str(path)), lifting_options)
        programs, estimates = _programs(found[entry["function"]], target)
        if len(programs) < 2:  # noqa: PLR2004 - as derived, and a form
            continue
        seconds = _seconds(programs)
        chosen = min(estimates, key=lambda name: estimates[name])
        good, count = good + (seconds[chosen] <= _GOOD * min(seconds.values())), count + 1
        told = (f"{name} {_times(name, seconds)} ({_times(name, estimates)})" for name in programs if name != _DERIVED)
        print(f"{entry['suite']}/{entry['name']}: {', '.join(told)}; chosen: {chosen}", flush=True)
    print(f"the choice is within {_GOOD} of the fastest form on {good} of {count} kernels with forms")
    return 0


def _times(name: str, taken: Mapping[str, float]) -> str:
    return f"{taken[_DERIVED] / taken[name]:.2f}"


def _programs(lifting: Lifting, target: Target) -> tuple[dict[str, Call], dict[str, float]]:
    """Return calls of the programs of a function by their forms, and their estimated nanoseconds."""
    sizes = chosen_sizes(lifting, _BYTES, _OPERATIONS)
    summary = simplify(lifting.summary)
    derived = derive(summary)
    arguments = random_arguments(lifting.view.parameters, sizes, seeded(1), "tame")
    if target.name == "torch":
        torch = importlib.import_module("torch")  # only where it is asked for
        torch.set_num_threads(1)
        arguments = {name: torch.as_tensor(v) if v.ndim else v.item() for name, v in _arrays(arguments)}
    forms = formed(summary, derived, target.forms, lambda p: cost_of(p, target.costs, sizes))
    programs = {_DERIVED: derived, **{", ".join(one.forms): one.program for one in forms}}
    calls: dict[str, Call] = {}
    for name, program in programs.items():
        emitted = target.emit(program)
        space: dict[str, Any] = {}
        exec(emitted.text, space)
        calls[name] = partial(space[emitted.entry], *(arguments[p.name] for p in emitted.parameters))
    return calls, {name: cost_of(program, target.costs, sizes) for name, program in programs.items()}


def _arrays(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, np.asarray(value)) for name, value in arguments.items())


def _seconds(calls: Mapping[str, Call]) -> dict[str, float]:
    """Return the least seconds of each call, of several samples in turns."""
    repeats = {name: max(1, int(_LEAST / _timed(call, 2))) for name, call in calls.items()}
    best = dict.fromkeys(calls, math.inf)
    for _ in range(_ROUNDS):
        for name, call in calls.items():
            best[name] = min(best[name], _timed(call, repeats[name]))
    return best


def _timed(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


if __name__ == "__main__":
    sys.exit(main())
