"""What targets and their operations are, as ``tensorlift targets`` tells it.

An operation is explained by a sample of it: its text, evaluated by the checker for every size, in the notation.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from tensorlift.comprehension.notation import show, show_summary
from tensorlift.comprehension.notation.printer import shapes
from tensorlift.comprehension.ranges import in_range
from tensorlift.diagnostics import refuse
from tensorlift.dialects.table import instance_lines
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.obligations import Ledger, Undecided
from tensorlift.proofs.samples import meaning_of_sample
from tensorlift.session import SESSION
from tensorlift.targets import get_target, target_names
from tensorlift.targets.mlir_text.samples import SIZES, sample_operand, sample_types
from tensorlift.targets.target import Memory, OpRow, Parameter, Routine, Sample, Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.tensor import SymbolicTensor

_LEAST_SIZE = 2  # so that no axis of a sample is broadcast
_STATIC_SIZES = {name: size for size, name in enumerate(SIZES, start=3)}
_INDICES = ("i", "j", "l", "p")
_MEMORY = {
    Memory.NEW: "in memory of its own",
    Memory.BLANK: "in memory of its own, whose cells have no values yet",
    Memory.VIEW: "in the memory of the first operand",
    Memory.WINDOW: "in the memory of the first operand, not to be written",
    Memory.UPDATE: "nowhere: the first operand changes, and nothing is given",
}


def list_operations(name: str) -> str:
    """List the operations of a target, a line for each: how it is written, and what it takes.

    Raises:
        LiftError: TL502, where there is no such target.

    """
    target = get_target(name)
    if target.routines:
        return "".join(f"{routine.name}({routine.parameters})\n" for routine in target.routines)
    rows = target.rows.values()
    width = max(len(row.spelling) for row in rows)
    return "".join(f"{row.spelling:<{width}}  {row.name}({', '.join(_parameters(row))})\n" for row in rows)


def explain(operation: str, names: Sequence[str] = ()) -> str:
    """Say what an operation means, given its name or how it is written, in some of the targets or in all.

    Raises:
        LiftError: TL502, where there is no such target; TL510, where none of them has the operation.

    """
    targets = [get_target(name) for name in names or target_names()]
    rows = [(target, row) for target in targets for row in target.rows.values()]
    found = ["\n".join(explanation(target, row)) for target, row in rows if operation in _known_as(row)]
    routines = [(target, routine) for target in targets for routine in target.routines]
    found += [_routine_explained(target, routine) for target, routine in routines if operation in _called(routine)]
    if not found:
        known = {w for _, row in rows for w in _known_as(row)} | {w for _, r in routines for w in _called(r)}
        near = difflib.get_close_matches(operation, sorted(known), 3)
        remedy = f"did you mean {' or '.join(map(repr, near))}?" if near else "list them: tensorlift targets NAME"
        raise refuse("TL510", f"no target has an operation '{operation}'", remedy=remedy)
    return "\n".join(text + "\n" for text in found)


def _called(routine: Routine) -> tuple[str, ...]:
    """Return how a routine may be asked for: ``gemm`` is that in double and in single precision."""
    return routine.name, routine.name.removeprefix("cblas_"), routine.name.removeprefix("cblas_")[1:]


def _routine_explained(target: Target, routine: Routine) -> str:
    """Show what the front end finds a routine to compute, in its first sample."""
    from tensorlift.readback import read_back  # noqa: PLC0415 - loads the front end of C: only where it is asked for

    SESSION.restart()
    (sample, *_) = routine.samples
    call = sample.partition("{ ")[2].rpartition(" }")[0]
    meaning = show_summary(read_back(sample, "sample").summary)
    lines = [f"{target.name}: {routine.name}({routine.parameters})", f"  {call}  where"]
    return "\n".join([*lines, *(f"  {line}" for line in meaning.splitlines()[1:] if line)])


def _known_as(row: OpRow) -> tuple[str, ...]:
    """Return how an operation may be asked for; ``operator add`` and ``method sum`` also by their last words."""
    return row.spelling, row.name, row.name.split()[-1]


def _parameters(row: OpRow) -> Iterator[str]:
    for parameter in row.parameters:
        yield f"{'*' * parameter.is_variadic}{parameter.name}{'=' * _is_named(parameter)}"


def _is_named(parameter: Parameter) -> bool:
    return parameter.is_optional or parameter.is_keyword


def explanation(target: Target, row: OpRow) -> Iterator[str]:
    """Say what an operation of a target is, in lines: how it is written, and what a sample of it means."""
    if row.instances:
        yield f"{target.name}: {row.name}"
        yield from (f"  {line}" for instance in row.instances for line in instance_lines(instance))
        return
    yield f"{target.name}: {row.spelling}  {row.name}({', '.join(_parameters(row))})"
    if isinstance(row.memory, Memory) and target.changes_arrays:
        yield f"  the result lies {_MEMORY[row.memory]}"
    yield from (f"  {line}" for line in _meaning(target, row))


def _meaning(target: Target, row: OpRow) -> list[str]:
    """Return the meaning of the first sample that has one for all sizes, or one for some where none has.

    Of what a mask keeps no sample has one: data say how long that is.
    """
    for which, more in (("", UNIVERSE), (" and m < n", Domain.of(less("m", "n")))):
        for entry in row.samples:
            lines = _meaning_of(target, entry, more)
            if lines:
                return [lines[0] + which, *lines[1:]]
    return [f"result: {row.samples[0].text}"]


def _meaning_of(target: Target, entry: Sample, more: Domain) -> list[str]:
    """Return the meaning of a sample for sizes of a domain, nothing where they decide what it is."""
    SESSION.restart()
    if target.takes_sizes:
        return _meaning_of_text(target, entry)
    context = more & Domain.of(*(at_least(size, max(entry.least, _LEAST_SIZE)) for size in SIZES))
    ledger = Ledger(context, (), target.types, lambda _divisor, _context: True)
    ledger.ranges = Domain.of(*(bound for size in SIZES for bound in in_range(Affine.var(size), "i32")))
    if target.language != "python":
        return _meaning_of_open_text(target, entry, ledger)
    operands = {name: sample_operand(name, spec, sample_types(spec)[0]) for name, spec in entry.operands.items()}
    try:
        value = meaning_of_sample(entry.text, operands, SIZES, target, ledger)
        return _lines(entry.text, operands, value, ledger)
    except (CheckFailure, Undecided):
        return []


def _lines(text: str, operands: Mapping[str, SymbolicTensor], value: SymbolicTensor, ledger: Ledger) -> list[str]:
    """Show a sample: its text, its operands, what it demands, the type and any cell of its result."""
    meaning = show(value.at(tuple(map(Affine.var, _INDICES[: value.rank]))), value.dtype)
    given = [f"{name}: {_type(x)}" for name, x in operands.items() if re.search(rf"\b{name}\b", text)]
    where = f"  where {', '.join(given)}" if given else ""
    cell = f"result({', '.join(_INDICES[: value.rank])})" if value.rank else "result"
    demands = [f"demands that {' and that '.join(sorted(ledger.counts))}"] if ledger.counts else []
    first, *rest = text.splitlines()
    return [
        *([f"{first}{where}"] if not rest else [first, *rest[:-1], f"{rest[-1]}{where}"]),
        *demands,
        f"result: {_type(value)}",
        f"{cell} = {meaning}",
    ]


def _meaning_of_text(target: Target, entry: Sample) -> list[str]:
    """Return the meaning of a sample at sizes that differ from each other, as every shape is static."""
    from tensorlift.proofs.samples import meaning_of_program  # noqa: PLC0415 - xDSL, for such targets only
    from tensorlift.targets.mlir_text import samples  # noqa: PLC0415 - as above

    dtypes = samples.sample_dtypes(entry)[0]
    operands = samples.sample_operands(entry, dtypes, _STATIC_SIZES)
    text = samples.sample_text(entry, dtypes, _STATIC_SIZES)
    ledger = Ledger(UNIVERSE, (), target.types, lambda _divisor, _context: True)
    program = samples.static_program(text, operands)
    return _lines(text, operands, meaning_of_program(program, samples.ENTRY, operands, target, ledger), ledger)


def _meaning_of_open_text(target: Target, entry: Sample, ledger: Ledger) -> list[str]:
    """Return the meaning of a sample whose extents are open, nothing where the sizes decide what it is."""
    from tensorlift.proofs.samples import meaning_of_statement  # noqa: PLC0415 - xDSL, as above
    from tensorlift.targets.mlir_text import samples  # noqa: PLC0415 - as above

    dtypes = samples.sample_dtypes(entry)[0]
    arguments, text = samples.sample_arguments(entry, dtypes), samples.sample_text(entry, dtypes)
    program = samples.open_program(samples.ENTRY, text, arguments)
    try:
        meant, _ = meaning_of_statement(program, samples.ENTRY, arguments, target, ledger)
        return _lines(text, {name: arguments[name] for name in entry.operands}, meant.tensor, ledger)
    except (CheckFailure, Undecided):
        return []


def _type(value: SymbolicTensor) -> str:
    return f"{value.dtype}{shapes(value.shape) if value.rank else ''}"
