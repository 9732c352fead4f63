"""A function that flags steer is lifted by their cases: the program of each, under the question whether it is that.

Arguments such as ``order`` and ``trans`` of a BLAS choose what is computed, and what shapes arrays have.  Where the
function as a whole has no form, or one for some sizes only, each case is lifted as any other function is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorlift.contract.interface import Precondition
from tensorlift.contract.language import InWords
from tensorlift.diagnostics import Diagnostic, LiftError, Location, Severity
from tensorlift.interface import UNKNOWN, describe_parameter, names_read, numpy_dtype, unused_arrays
from tensorlift.ir.function import function_named
from tensorlift.ir.literal_function import Flag
from tensorlift.joined import Case, Letter, joined_certificate, joined_conditions, spelled_flags, when
from tensorlift.normalise.flags import cases_of
from tensorlift.profit import NO_QUICKER
from tensorlift.reading import in_case, literal_module, parameter_names
from tensorlift.record import Level, Trial, Verdict, weakest_level, worst_verdict
from tensorlift.report.program import PYTHON, language
from tensorlift.targets.c.chained import is_chainable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tensorlift.contract.interface import Parameter
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.interface import Lifting
    from tensorlift.ir.function import FunctionView
    from tensorlift.pipeline import LiftOptions
    from tensorlift.record import FunctionRecord, Output

    Outcome = tuple[FunctionRecord, Lifting | None]
    Lift = Callable[[ReadFunction, LiftOptions], Outcome]
    Lifted = tuple[dict[str, Flag], FunctionRecord, Lifting]  # a case, with what its flags are

_MANY = 8
_LONGEST = 100  # characters that say what an extent is
_EAGER = {"numpy", "torch"}  # targets whose programs run statement by statement
_TELLS_OF_ERROR = {"TL150"}  # codes that refuse a case which ends with an error on almost all data
_GAINS_NOTHING = {"TL306", *NO_QUICKER}


def lift_by_cases(function: ReadFunction, options: LiftOptions, lift: Lift) -> Outcome:
    """Lift a function as a whole, or by its cases where more is known of them; ``lift`` lifts one as it is.

    A program that may ask which case it is stands by itself, and its sizes are not given.  Functions of many cases are
    lifted by them if they can be: as a whole such take long, and are long.  Of few, where a program would compute what
    all of them need.  In C other cases run the original.
    """
    is_asked = options.target == "c" or language(options.target) is PYTHON
    cases = _cases(function) if is_asked and not options.sizes and function.again is not None else []
    is_many = len(cases) >= _MANY
    joined = _by(cases, function, options, lift) if is_many else None
    if joined is not None and not joined.restricted:
        return joined, None
    general, lifting = lift(function, options)
    is_good = general.verdict in {Verdict.LOOP_FREE, Verdict.SCAN} and general.definitions is Level.PROVED
    if not is_many and (general.restricted or not is_good or _computes_all(general, cases)):
        joined = _by(cases, function, options, lift)
    return (general, lifting) if joined is None or not _is_better(joined, general) else (joined, None)


def _computes_all(record: FunctionRecord, cases: Iterable[dict[str, Flag]]) -> bool:
    """Tell whether a program chooses among what each case needs, which JAX, where it traces flags, cannot but do."""
    asked = spelled_flags(name for flags in cases for name in flags).values()
    return record.target in _EAGER and any(parameter.name in asked for parameter in record.parameters)


def _cases(function: ReadFunction) -> list[dict[str, Flag]]:
    try:
        found = cases_of(function_named(literal_module(function), function.name))
    except LiftError:
        return []
    spelled = parameter_names(function)
    cases = [{spelled(name): flag for name, flag in flags.items()} for flags in found]
    return cases if all(name.isidentifier() for flags in cases for name in flags) else []


def _by(
    cases: Sequence[dict[str, Flag]], function: ReadFunction, options: LiftOptions, lift: Lift
) -> FunctionRecord | None:
    """Lift each case in which a function does not always end with an error; None where one must lift, and does not."""
    lifted: list[Lifted] = []
    left: list[Diagnostic] = []  # what refuses cases that run the original
    as_read = replace(options, divides_sizes=False)  # nothing is read anew
    for flags in cases:
        record, lifting = lift(in_case(function, [(name, flag.number) for name, flag in flags.items()]), as_read)
        if lifting is not None and (options.target != "c" or _is_tried(record)):
            lifted.append((_spelled(flags, lifting.view), record, lifting))
        elif options.target == "c":
            left += [d for d in record.diagnostics if d.code not in _TELLS_OF_ERROR | _GAINS_NOTHING]
        elif not any(d.code in _TELLS_OF_ERROR for d in record.diagnostics):
            return None
    try:
        joined = _joined(lifted)
    except ValueError:
        return None
    if joined is None or not left:
        return joined
    notes = tuple(replace(d, severity=Severity.NOTE) for d in dict.fromkeys(left))
    return replace(joined, restricted=True, diagnostics=(*joined.diagnostics, *notes))


def _is_tried(record: FunctionRecord) -> bool:
    """Tell whether a program in C computes anything, and runs the original where it cannot."""
    return bool(record.outputs) and is_chainable(record.name, record.program)


def _is_better(joined: FunctionRecord, general: FunctionRecord) -> bool:
    """Tell whether more is known of the programs of the cases, or the general one asks for what none of them does."""
    if not general.lifted or joined.definitions is not general.definitions:
        return not general.lifted or joined.definitions is Level.PROVED
    if joined.verdict is not general.verdict:
        return worst_verdict((joined.verdict, general.verdict)) is general.verdict
    if joined.target in _EAGER and not joined.restricted:
        return True
    asked = [precondition.text for precondition in joined.preconditions]
    return not all(any(one.text in text for text in asked) for one in general.preconditions)


def no_adapter(location: Location | None) -> Diagnostic:
    """Say that no adapter is written for a program."""
    message = "no adapter is written: it takes a source in C, a program for NumPy, and one case of what flags steer"
    return Diagnostic("TL541", message, location, "leave --adapter out, or choose the --case")


def _joined(cases: Sequence[Lifted]) -> FunctionRecord | None:
    """Make one record of those of the cases; None where there are none, or they return different things to Python.

    Raises:
        ValueError: where the programs do not go together.

    """
    records = [record for _, record, _ in cases]
    returned = [[output.name for output in record.outputs] for record in records]
    if not records or (records[0].target != "c" and returned.count(returned[0]) != len(returned)):
        return None
    first = records[0]
    parameters = _parameters(cases)
    told = [Case(flags, record.certificate or {}) for flags, record, _ in cases]
    certificate = joined_certificate([parameter.name for parameter in parameters], told)
    return replace(
        first,
        verdict=worst_verdict(record.verdict for record in records),
        level=weakest_level(record.level for record in records),
        definitions=weakest_level(record.definitions for record in records),
        undecided=next((record.undecided for record in records if record.undecided), ""),
        seconds={stage: sum(record.seconds.get(stage, 0) for record in records) for stage in first.seconds},
        parameters=parameters,
        outputs=_outputs(cases),
        preconditions=_preconditions(told, records),
        restricted=any(record.restricted for record in records),
        residual_loops=tuple(dict.fromkeys(loop for record in records for loop in record.residual_loops)),
        diagnostics=tuple(dict.fromkeys(d for record in records for d in record.diagnostics)),
        program=certificate["program"],
        certificate=certificate,
        tests=tuple(_trials(records)),
        adapter="",
        without_adapter=(no_adapter(first.location),) if first.adapter or first.without_adapter else (),
    )


def _spelled(flags: dict[str, Flag], view: FunctionView) -> dict[str, Flag]:
    """Give the flags of a case by the numbers that callers pass: without a sign, or those of letters."""
    dtypes = {parameter.name: numpy_dtype(parameter.dtype) for parameter in view.parameters}

    def number(name: str, value: int) -> int:
        passed = int(np.array(value, "int64").astype(dtypes[name]))
        return Letter(passed) if dtypes[name] == "int8" and chr(max(passed, 0)).isalpha() else passed

    return {
        name: Flag(number(name, flag.number), frozenset(number(name, value) for value in flag.others), flag.bounds)
        for name, flag in flags.items()
    }


def _parameters(cases: Sequence[Lifted]) -> tuple[Parameter, ...]:
    """List what the programs of the cases take, and the flags, in the order of the source.

    What the program of a case has no use for is described as other cases need it.

    Raises:
        ValueError: where a flag is an extent too, or has the name of something else.

    """
    described: dict[str, list[_Told]] = defaultdict(list)
    often = Counter[str]()  # how many programs take a parameter
    order: dict[str, None] = {}
    target = cases[0][1].target
    asked = _emitted((name for flags, _, _ in cases for name in flags), target)
    read = {*asked.values()}
    for flags, record, lifting in cases:
        known = {parameter.name: parameter for parameter in lifting.view.parameters}
        shaping = {size for p in known.values() for extent in p.extents or () for size, _ in extent.terms}
        if not shaping.isdisjoint(flags):
            raise ValueError("a flag is an extent too")
        emitted = _emitted(known, target)
        order |= dict.fromkeys(emitted.values())
        if any(emitted[name] != asked[name] for name in flags):
            raise ValueError("a flag has the name of something else")
        read |= {*known} if target == "c" else names_read(record.program)
        unused = {emitted[name] for name in unused_arrays(lifting.view)}
        others = {other: describe_parameter(other, known[name]) for name, other in emitted.items()}
        takes = {parameter.name: parameter for parameter in record.parameters}
        often.update(dict.fromkeys([*takes, *(asked[name] for name in flags)]).keys())
        for name, parameter in (others | takes).items():
            described[name].append(_Told(name not in unused, flags, parameter))
    taken = [name for name, count in often.items() if name in read or count == len(cases)]
    names = sorted(taken, key=lambda name: [*order].index(name if name in order else name.removesuffix("_")))
    return tuple(_agreed(described[name]) for name in names)


def _emitted(names: Iterable[str], target: str) -> dict[str, str]:
    """Give the names that programs have for some of the source."""
    return {name: name for name in names} if target == "c" else spelled_flags(names)


def _outputs(cases: Sequence[Lifted]) -> tuple[Output, ...]:
    described: dict[str, list[_Told]] = defaultdict(list)
    for flags, record, lifting in cases:
        for output in record.outputs:
            described[output.name].append(_Told(output.name not in unused_arrays(lifting.view), flags, output))
    return tuple(map(_agreed, described.values()))


class _Told(NamedTuple):
    """How a case describes a parameter or an output, and whether it has a use for it."""

    is_needed: bool
    flags: dict[str, Flag]
    what: Any


def _agreed(told: Sequence[_Told]) -> Any:
    """Describe a parameter or an output as the cases do, its extents by the case."""
    told = [one for one in told if one.is_needed] or told
    first = told[0].what
    shapes: dict[tuple[str, ...], list[dict[str, Flag]]] = defaultdict(list)
    for one in told:
        shapes[one.what.shape].append(one.flags)
    if len({len(shape) for shape in shapes}) > 1:
        return replace(first, shape=(UNKNOWN,) * max(map(len, shapes)))
    return replace(first, shape=tuple(_by_case(axis, shapes) for axis in range(len(first.shape))))


def _by_case(axis: int, shapes: Mapping[tuple[str, ...], Sequence[dict[str, Flag]]]) -> str:
    """Spell an extent as Python does where it is another one in other cases."""
    extents: dict[str, list[dict[str, Flag]]] = defaultdict(list)
    for shape, cases in shapes.items():
        extents[shape[axis]] += cases
    among = [case for cases in extents.values() for case in cases]
    *asked, (last, _) = sorted(extents.items(), key=lambda one: len(one[1]))
    text = " else ".join([*(f"{extent} if {when(cases, among)}" for extent, cases in asked), last])
    return text if len(text) <= _LONGEST else UNKNOWN


def _preconditions(told: Sequence[Case], records: Sequence[FunctionRecord]) -> tuple[Precondition, ...]:
    """List what the programs of the cases demand, each with the cases that do."""
    known = {one.text: one for record in records for one in record.preconditions}
    asked = Precondition("", "the other cases are not lifted", kind="case")
    return tuple(
        known[of] if spelled == of else replace(known.get(of, asked), text=spelled, condition=InWords(spelled))
        for spelled, of in joined_conditions(told).items()
    )


def _trials(records: Sequence[FunctionRecord]) -> Iterator[Trial]:
    """Put the tests of the cases together, by what they are against."""
    for against in dict.fromkeys(trial.against for record in records for trial in record.tests):
        trials = [trial for record in records for trial in record.tests if trial.against == against]
        sizes = tuple(one for trial in trials for one in trial.sizes)
        yield Trial(against, sum(trial.cases for trial in trials), sizes, max(trial.error for trial in trials))
