"""Compare the cost model with measurements: ``python bench/costs.py --from FIGURES.json [--fit]``.

FIGURES.json is what ``bench/targets.py --json`` wrote.  The backend that the model chooses for a kernel is good where
the fastest one is at most 1.3 times as fast.  ``--fit`` also prints numbers for each target that fit the measurements
better: the median factor between estimate and measurement, in small steps from those that the target has.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.selection import KERNELS
from tensorlift.ir.cost import Costs, cost_of
from tensorlift.pipeline import LiftOptions, lift_to_run
from tensorlift.runtime.backends import BACKENDS
from tensorlift.source import read_source
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Array = np.ndarray[Any, np.dtype[Any]]

_GOOD = 1.3  # of the fastest
_NAMES = tuple(field.name for field in fields(Costs))
_STEPS = (2.0, 0.5, 1.25, 0.8, 1.05, 0.95)
_PRIOR = 0.02  # what a factor of e away from the numbers of the target costs, in the same of an estimate
_ROUNDS = 60
_LEAST = 1e-3


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Compare the cost model with measurements.")
    parser.add_argument("--from", dest="source", required=True, metavar="FILE", help="figures of bench/targets.py")
    parser.add_argument("--fit", action="store_true", help="also print numbers that fit better")
    options = parser.parse_args()
    rows = [row for row in json.loads(Path(options.source).read_text(encoding="utf-8")) if row["cells"]]
    parts = {row["kernel"]: found for row in rows if (found := _parts(row)) is not None}
    measured = {row["kernel"]: _seconds(row) for row in rows if row["kernel"] in parts}
    backends = [b for b in BACKENDS if any(b.name in cells for cells in measured.values())]
    costs = {b.name: _numbers(get_target(b.target).costs) for b in backends}
    print(_judged(parts, measured, costs))
    if options.fit:
        for name, numbers in costs.items():
            costs[name] = _fitted([(parts[k], cells[name]) for k, cells in measured.items() if name in cells], numbers)
            print(f"{name}: Costs({', '.join(f'{n}={v:.3g}' for n, v in zip(_NAMES, costs[name], strict=True))})")
        print(_judged(parts, measured, costs))
    return 0


def _parts(row: Mapping[str, Any]) -> Array | None:
    """Return how often the program of a kernel does what each number of a model stands for."""
    index = json.loads((KERNELS / "index.json").read_text(encoding="utf-8"))
    entry = next(e for e in index if f"{e['suite']}/{e['name']}" == row["kernel"])
    path = KERNELS / entry["file"]
    lifting = LiftOptions((entry["function"],), include_dirs=(str(path.parent),))
    _, found = lift_to_run(read_source(str(path)), lifting)
    if entry["function"] not in found:
        return None
    program = derive(simplify(found[entry["function"]].summary))
    units = (Costs(**{name: float(name == unit) for name in _NAMES}) for unit in _NAMES)
    return np.array([cost_of(program, unit, row["sizes"]) for unit in units])


def _seconds(row: Mapping[str, Any]) -> dict[str, float]:
    return {name: cell["seconds"] for name, cell in row["cells"].items() if cell["seconds"]}


def _numbers(costs: Costs) -> Array:
    return np.array([asdict(costs)[name] for name in _NAMES])


def _judged(parts: Mapping[str, Array], measured: Mapping[str, Mapping[str, float]], costs: Mapping[str, Array]) -> str:
    """Say on how many kernels the choice is good, and on which it is not."""
    bad = []
    for kernel, cells in measured.items():
        chosen = min(cells, key=lambda name: float(parts[kernel] @ costs[name]))
        best = min(cells, key=lambda name: cells[name])
        if cells[chosen] > _GOOD * cells[best]:
            bad.append(f"{kernel}: {chosen} takes {cells[chosen] / cells[best]:.2f} times as long as {best}")
    good = len(measured) - len(bad)
    share = f"{good} of {len(measured)} kernels ({good / max(len(measured), 1):.0%})"
    return "\n".join([f"the choice is within {_GOOD} of the fastest on {share}", *bad])


def _fitted(samples: Sequence[tuple[Array, float]], numbers: Array) -> Array:
    """Change numbers step by step while the estimates come nearer to the measurements."""
    table, taken = np.array([part for part, _ in samples]), np.array([seconds * 1e9 for _, seconds in samples])
    start = np.maximum(numbers, _LEAST)

    def off(found: Array) -> float:
        estimates = np.maximum(table @ found, 1.0)
        return float(np.abs(np.log(estimates / taken)).mean() + _PRIOR * np.square(np.log(found / start)).mean())

    best = start
    for _ in range(_ROUNDS):
        before = off(best)
        for place in range(len(best)):
            for step in _STEPS:
                tried = best.copy()
                tried[place] *= step
                best = tried if off(tried) < off(best) else best
        if math.isclose(off(best), before):
            break
    return best


if __name__ == "__main__":
    sys.exit(main())
