"""Compares an emitted program with the interpreters of its source, in this process.

Each lift does that: what runs compiled programs and other processes is not loaded for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.runtime.cases import DifferentialReport, Tally, draw_cases, reference, result_count
from tensorlift.runtime.compare import Tolerance
from tensorlift.runtime.data import seeded
from tensorlift.runtime.program import ContractError, call_program
from tensorlift.runtime.program_worker import loaded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.ir import Operation

    from tensorlift.ir.function import FunctionView
    from tensorlift.runtime.literal import LiteralRun


def compare_with_interpreter(  # noqa: PLR0913 - two programs and how to compare them
    function: Operation | FunctionView,
    program: str,
    entry: str,
    outputs: Sequence[str],
    sizes: Iterable[Mapping[str, int]],
    *,
    seed: int = 0,
    tolerance: Tolerance | None = None,
    library: str = "",
    literal: LiteralRun | None = None,
) -> DifferentialReport:
    """Run an emitted program against the interpreter at the given sizes, in this process.

    ``program`` is trusted, as the own emitter's text, and written for NumPy or another ``library``; ``outputs`` are the
    written arrays that it returns, in order.
    """
    source = reference(function, literal)
    tally = Tally("interpreter", tolerance or Tolerance.of(library))
    try:
        ready = loaded(program, entry, library)
    except Exception as error:  # noqa: BLE001 - whatever the text raises, it is no program
        tally.fail({}, f"the program does not load: {type(error).__name__}: {error}")
        return tally.report()
    for case in draw_cases(source, sizes, seeded(seed), tally):
        tally.cases.append(case.sizes)
        try:
            reply: list[Any] | str = call_program(ready, case.arguments, result_count(source.view, outputs))
        except ContractError as error:
            reply = str(error)
        tally.judge(case, case.expected, outputs, reply)
    return tally.report()
