"""Decides the first half of the proof, source = definitions, for the functions of files in C, C++, Python and MLIR.

For each: what the checker answers, and the milliseconds of summarising, of reading literally, of making the claims and
of deciding them.  With ``--mutants``, the source is changed after it was lifted, in one place of its literal IR at a
time: what is decided all the same must compute as before, on all inputs that are tried.

    python bench/first_half.py [--mutants N] [--seed S] FILE ...
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType
from xdsl.rewriter import Rewriter

from tensorlift.contract.required import required, with_room
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.ir.execution import InterpreterError, TooLongError
from tensorlift.ir.function import FunctionView, function_named, functions
from tensorlift.ir.literal_interpreter import LiteralInterpreter
from tensorlift.ir.location import location_of
from tensorlift.ir.operations import operation_class
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.proofs.source.check import check_source
from tensorlift.proofs.source.operations import Undecided
from tensorlift.proofs.source.places import places_of
from tensorlift.runtime.cases import Case, Tally, draw_cases, reference
from tensorlift.runtime.compare import Tolerance
from tensorlift.runtime.literal import LiteralRun
from tensorlift.runtime.places import Places
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.source import Source, source_from_text
from tensorlift.summarize import summarise
from tensorlift.summarize.claims import claims_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Operation

    from tensorlift.comprehension.definition import Summary
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.proofs.source.claims import Claims

_ORDERED = (1, 2, 3, 4, 5, 13)  # predicates of floats that C has
_MOST_BRANCHES = 2_000_000
_MOST_TRIES = 1_000  # to change an operation
_SWAPPED = [
    ["arith.addf", "arith.subf", "arith.mulf", "arith.divf"],
    ["arith.addi", "arith.subi", "arith.muli"],
    ["arith.divsi", "arith.remsi", "arith.divui", "arith.remui", "arith.floordivsi", "arith.ceildivsi"],
    ["arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui"],
    ["arith.minimumf", "arith.maximumf", "arith.minnumf", "arith.maxnumf"],
    ["arith.andi", "arith.ori", "arith.xori"],
    ["arith.extsi", "arith.extui"],
    ["arith.sitofp", "arith.uitofp"],
    ["arith.shrsi", "arith.shrui", "arith.shli"],
    ["math.exp", "math.log", "math.sqrt", "math.absf", "math.sin", "math.cos"],
]


class Subject(NamedTuple):
    """A function that is lifted and read literally, with what is claimed of it.

    ``plain`` is the function with the constants of the source, where ``view`` is generalised.
    """

    view: FunctionView
    plain: FunctionView
    module: ModuleOp
    summary: Summary
    claims: Claims
    seconds: tuple[float, ...]

    def function(self, module: ModuleOp | None = None) -> FuncOp:
        """Return the function in its module, or in another one."""
        return function_named(module or self.module, self.view.name)


def main() -> int:
    """Print one line for each function, and the totals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--mutants", type=int, default=0, help="so many changes of each function's source")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    totals: Counter[str] = Counter()
    added: list[float] = []
    for file in options.files:
        for name, found in with_deep_stack(
            partial(subjects, source_from_text(file.read_text(encoding="utf-8"), str(file)))
        ):
            if isinstance(found, str):
                totals[found.partition(":")[0]] += 1
                print(f"{file}:{name}", found, flush=True)
                continue
            start = time.perf_counter()
            answer = with_deep_stack(partial(decide, found))
            seconds = (*found.seconds, time.perf_counter() - start)
            added.append(sum(seconds[1:]))
            totals[answer.partition(":")[0]] += 1
            print(f"{file}:{name}", answer, *(f"{1000 * s:.1f}" for s in seconds), flush=True)
            if options.mutants and answer == "decided":
                rng = Random(f"{options.seed} {file.name} {name}")
                for line in with_deep_stack(partial(_mutants, found, options.mutants, rng)):
                    totals[line.partition(":")[0]] += 1
                    if line.startswith("WRONG"):
                        print(f"{file}:{name}", line, flush=True)
    print(dict(totals), f"{1000 * sum(added) / max(len(added), 1):.2f} ms more in the mean")
    return 1 if totals["WRONG"] else 0


def subjects(source: Source) -> list[tuple[str, Subject | str]]:
    """Read and summarise the functions of a source; a text says why there is nothing to decide."""
    try:
        read = read_functions(source, LiftOptions())
    except LiftError as error:
        return [("", f"not read: {error.diagnostics[0].code}")]
    views = {f.name: FunctionView(functions(f.module)[0]) for f in read if f.module is not None}
    if any(view.generalised for view in views.values()):
        again = read_functions(source, LiftOptions(generalise=False))
        views = {f.name: FunctionView(functions(f.module)[0]) for f in again if f.module is not None}
    return [(function.name, _subject(function, views)) for function in read]


def _subject(function: ReadFunction, plain: Mapping[str, FunctionView]) -> Subject | str:
    if function.module is None or function.literally is None:
        return "not read"
    clock = [time.perf_counter()]
    view = FunctionView(functions(function.module)[0])
    try:
        summary = summarise(view, places=True)
    except LiftError as error:
        return f"not lifted: {error.diagnostics[0].code}"
    clock.append(time.perf_counter())
    try:
        module = function.literally()
    except LiftError as error:
        return f"no literal IR: {error.diagnostics[0].code} {error.diagnostics[0].message}"
    clock.append(time.perf_counter())
    claims = claims_of(function_named(module, view.name), summary, view.literal_names)
    subject = Subject(view, plain[function.name], module, summary, claims, ())
    clock.append(time.perf_counter())
    return subject._replace(seconds=tuple(b - a for a, b in pairwise(clock)))


def decide(subject: Subject, module: ModuleOp | None = None) -> str:
    """Ask the checker about a function, or about another module in its place."""
    try:
        function = subject.function(module)
        places = places_of(function, subject.view, subject.summary)
        check_source(function, subject.summary, places, subject.claims)
    except Undecided as error:
        place = location_of(error.at) if error.at is not None else None
        return f"undecided: {error}{f' at {place.line}:{place.column}' if place else ''}"
    return "decided"


# -- changes of the source


def _mutants(subject: Subject, count: int, rng: Random) -> list[str]:
    """Change the source in one place at a time; say of each change what became of it."""
    cases = inputs(subject, rng)
    return [_became(subject, cases, *changed(subject, rng)) for _ in range(count if cases else 0)]


def _became(subject: Subject, cases: Sequence[Case], module: ModuleOp, change: str) -> str:
    if decide(subject, module) != "decided":
        return "rejected"
    return f"WRONG: {change}" if any(differs(subject, case, module) for case in cases) else "accepted, as before"


def inputs(subject: Subject, rng: Random) -> list[Case]:
    """Draw inputs on which the source is defined, with what it computes."""
    view = subject.plain
    run = LiteralRun.of(view, LiteralInterpreter(subject.module))
    if run is None:
        return []
    summary = summarise(view, places=True) if subject.view.generalised else subject.summary
    domain = with_room(summary.context & required(view), Places(view).room())
    sizes = choose_sizes(view.parameters, domain, rng, 4, largest=6, derived=summary.derived)
    return draw_cases(reference(view, run), sizes, rng, Tally("literal", Tolerance()))


def differs(subject: Subject, case: Case, module: ModuleOp) -> bool:
    """Tell whether a module computes something else than the source, where it is defined."""
    run = LiteralRun.of(subject.plain, LiteralInterpreter(module))
    assert run is not None
    try:
        arrays, value = run(case.arguments, _MOST_BRANCHES)
    except InterpreterError:
        return False
    except TooLongError:
        return True
    if not all(_are_close(expected, arrays[name]) for name, expected in case.expected.arrays.items()):
        return True
    if value is None or case.expected.value is None:
        return False
    return not _are_close(np.asarray(case.expected.value), np.asarray(value))


def _are_close(expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any]) -> bool:
    """Compare up to rounding: definitions compute with real numbers."""
    return np.allclose(expected, found, 1e-4 if expected.dtype == np.float32 else 1e-9, 1e-6, equal_nan=True)


def changed(subject: Subject, rng: Random) -> tuple[ModuleOp, str]:
    """Change one operation of a function; say which, and how; a function that is too short stays as it is."""
    module = subject.module.clone()
    function = function_named(module, subject.view.name)
    ops = [op for op in function.walk() if op is not function]
    for _ in range(_MOST_TRIES):
        op, change = rng.choice(ops), rng.choice(_CHANGES)
        before, place = str(op), location_of(op)
        if change(op, rng):
            return module, f"{change.__name__.strip('_')} {place}: {before}"
    return module, "nothing"


def _operation(op: Operation, rng: Random) -> bool:
    group = next((group for group in _SWAPPED if op.name in group), None)
    if group is None:
        return False
    kind = operation_class(rng.choice([name for name in group if name != op.name]))
    made = kind.create(
        operands=op.operands, result_types=[r.type for r in op.results], properties=op.properties, location=op.location
    )
    block = op.parent
    assert block is not None
    block.insert_op_before(made, op)
    op.results[0].replace_all_uses_with(made.results[0])
    Rewriter.erase_op(op)
    return True


def _number(op: Operation, rng: Random) -> bool:
    if op.name != "arith.constant":
        return False
    value: Any = op.properties["value"]
    if isinstance(value, FloatAttr):
        op.properties["value"] = FloatAttr(value.value.data * 2 + 1, value.type)
    elif isinstance(value.type, IntegerType) and value.type.width.data > 1:
        op.properties["value"] = IntegerAttr(value.value.data + rng.choice((-1, 1)), value.type)
    else:
        return False
    return True


def _predicate(op: Operation, rng: Random) -> bool:
    if op.name not in {"arith.cmpi", "arith.cmpf"}:
        return False
    value: Any = op.properties["predicate"]
    others = [n for n in (range(10) if op.name == "arith.cmpi" else _ORDERED) if n != value.value.data]
    op.properties["predicate"] = IntegerAttr(rng.choice(others), value.type)
    return True


def _operand(op: Operation, rng: Random) -> bool:
    """Let an operation use another value of the same type that is computed before it in its block."""
    block = op.parent
    assert block is not None
    if not op.operands:
        return False
    position = rng.randrange(len(op.operands))
    old = op.operands[position]
    known = [*block.args]
    for earlier in block.ops:
        if earlier is op:
            break
        known += earlier.results
    first = op.parent_region()
    known += first.blocks[0].args if first is not None else ()
    others = [value for value in known if value.type == old.type and value is not old]
    if not others:
        return False
    op.operands[position] = rng.choice(others)
    return True


def _order(op: Operation, _: Random) -> bool:
    if len(op.operands) != 2 or op.operands[0].type != op.operands[1].type or op.operands[0] is op.operands[1]:  # noqa: PLR2004 - a pair
        return False
    if op.name.startswith("cf."):
        return False
    op.operands[0], op.operands[1] = op.operands[1], op.operands[0]
    return True


def _no_store(op: Operation, _: Random) -> bool:
    if op.name != "memref.store":
        return False
    Rewriter.erase_op(op)
    return True


_CHANGES: Sequence[Callable[[Operation, Random], bool]] = (
    _operation, _number, _number, _predicate, _operand, _operand, _order, _no_store,
)  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
