"""Runs programs for array libraries in this process against the interpreter of their source.

``tensorlift lift --test`` starts a process for each program, which imports the library again; a test that runs dozens
of programs imports it once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.contract.required import required
from tensorlift.pipeline import LiftOptions, lift_to_run
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import seeded
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.record import FunctionRecord
    from tensorlift.runtime.cases import DifferentialReport
    from tensorlift.source import Source

_CASES, _LARGEST, _SEED = 3, 6, 16


def lifted_and_compared(source: Source, target: str) -> Iterator[tuple[FunctionRecord, DifferentialReport | None]]:
    """Lift a source; give each function with the comparison at small sizes, the least ones first, where it lifts."""
    record, found = lift_to_run(source, LiftOptions(target=target))
    for function in record.functions:
        lifting = found.get(function.name)
        if lifting is None:
            yield function, None
            continue
        domain = lifting.summary.context & required(lifting.view)
        parameters, derived = lifting.view.parameters, lifting.summary.derived
        sizes = choose_sizes(parameters, domain, seeded(_SEED), _CASES, largest=_LARGEST, derived=derived)
        outputs = [name for name, _ in lifting.summary.outputs]
        text, entry, library = lifting.emitted.text, lifting.emitted.entry, get_target(target).library
        yield function, compare_with_interpreter(lifting.view, text, entry, outputs, sizes, library=library)
