"""The pipeline: one page of named steps from source text to a run record.

    read -> summarise -> derive -> emit -> prove -> check small sizes -> (test against the compiled source)

Each step is one room.  A `LiftError` in a step refuses the function at hand and no other; so does an exception that
nobody expected, which becomes diagnostic TL900 (with TENSORLIFT_DEBUG set it is raised).
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift import __version__, reading
from tensorlift.attempts import Request
from tensorlift.by_cases import lift_by_cases, no_adapter
from tensorlift.contract.gather import is_binding
from tensorlift.contract.guards import unguarded
from tensorlift.contract.interface import Precondition, Role
from tensorlift.contract.language import AnyOf, Compare
from tensorlift.contract.required import required, with_room
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import Diagnostic, LiftError, Severity, internal_error, located, refuse, with_remedy
from tensorlift.engines import HEURISTICS, Limits, search_by
from tensorlift.first_half import decide_first_half
from tensorlift.interface import Emitted, Lifting, emitted_names, record_of
from tensorlift.ir.function import FunctionView
from tensorlift.ir.function import functions as functions_of
from tensorlift.ir.literal_interpreter import LiteralInterpreter
from tensorlift.ir.tensor_program import Operation, TensorProgram, nodes_of
from tensorlift.portfolio import NothingFoundError, chosen_program
from tensorlift.progress import begin, each
from tensorlift.record import FunctionRecord, Json, Level, LiftRecord, Verdict, worst_verdict
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import seeded
from tensorlift.runtime.libraries import require_library
from tensorlift.runtime.literal import LiteralRun
from tensorlift.runtime.places import Places
from tensorlift.runtime.sizes import choose_sizes, stretched
from tensorlift.session import SESSION
from tensorlift.sizes import check_request
from tensorlift.source import language_of
from tensorlift.summarize import summarise
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.frontends.c.elsewhere import OtherFile
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.pdl.rewriting import Rewrites
    from tensorlift.poly.domain import Domain
    from tensorlift.profit import Pays
    from tensorlift.proofs.read_back import Handed
    from tensorlift.proofs.summaries import ReadBack
    from tensorlift.runtime.cases import DifferentialReport
    from tensorlift.source import Source
    from tensorlift.targets.target import Target

Outcome = tuple[FunctionRecord, Lifting | None]  # what became of a function, and what was found out where it was lifted

# A lifted program runs against the interpreter at so many size sets, up to so large, drawn with a seed that mixes them.
_SMALL_CASES, _SMALL_SIZE, _SMALL_SEED = 3, 6, 16

_GENERALISED = {"TL199"}  # the code of the front end for a constant that became a size
_UNTESTED = {"TL611", "TL615"}  # codes of tests whose least inputs are too large, and of programs that nothing runs
_WRONG_REQUESTS = {"TL105"}  # codes of the front ends for a function that the source does not define


@dataclass(frozen=True, slots=True)
class LiftOptions:
    """What to lift and how; no ``functions`` means all of the source."""

    functions: tuple[str, ...] = ()
    target: str = "numpy"
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str | None = None
    engine: str = "auto"
    test: bool = False
    generalise: bool | None = None  # as `read_mlir` takes it
    include_files: tuple[str, ...] = ()
    guards: bool = False
    adapter: bool = False
    sizes: tuple[tuple[str, int], ...] = ()  # for targets whose shapes are static
    tactics: tuple[str, ...] = ()  # files
    heuristics: tuple[str, ...] = HEURISTICS  # of the engine enumerate
    limits: Limits = ()  # of the same
    budget: float | None = None  # seconds that all engines together may take, to find what is cheaper
    replaces: bool = False  # the program takes the place of its source, and may not be slower by degree
    pays: Pays = ""
    others: tuple[OtherFile, ...] = ()  # of the project: in C, where functions are found that the source only declares
    divides_sizes: bool = True  # quotients of sizes are sizes, not data
    places: bool = False  # of the source behind operations in MLIR
    rewrites: Rewrites | None = None  # of programs in MLIR
    case: tuple[tuple[str, int], ...] = ()  # of functions that flags steer
    forms_at: tuple[tuple[str, int], ...] | None = None  # sizes at which the cheapest form is chosen; None: as derived


@dataclass(frozen=True, slots=True)
class Intermediate:
    """A function on its way: its loop IR or its definitions as text, or the diagnostics that stopped it."""

    name: str
    text: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(slots=True)
class StageClock:
    """Seconds by stage, in the order in which the stages ran."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of the block for the stage, also where the block raises."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def lift_source(source: Source, options: LiftOptions) -> LiftRecord:
    """Lift the functions of a source; raise `LiftError` only where the request itself is wrong."""
    return lift_read(source, options, partial(reading.read, source, options))


def lift_read(
    source: Source,
    options: LiftOptions,
    read: Callable[[], Sequence[ReadFunction]],
    found: dict[str, Lifting] | None = None,
) -> LiftRecord:
    """Lift the functions that ``read`` gives; ``found`` is filled with what was found out, by their names."""
    target = get_target(options.target)
    return with_deep_stack(lambda: _lift(source, target, options, read, found))


def lift_to_run(source: Source, options: LiftOptions) -> tuple[LiftRecord, dict[str, Lifting]]:
    """Lift the functions of a source; give with the record what the rooms found out about each that was lifted."""
    found = dict[str, Lifting]()
    return lift_read(source, options, partial(reading.read, source, options), found), found


def _lift(
    source: Source,
    target: Target,
    options: LiftOptions,
    read_all: Callable[[], Sequence[ReadFunction]],
    found: dict[str, Lifting] | None,
) -> LiftRecord:
    clock = StageClock()
    record = partial(LiftRecord, __version__, source.name, source.sha256, options.target, seconds=clock.seconds)
    search_by(options.engine, options.tactics, options.heuristics, options.limits)  # wrong requests are told first
    begin(f"reading {source.name}")
    try:
        with clock.stage("read"):
            read = read_all()
    except LiftError as refusal:
        if any(diagnostic.code in _WRONG_REQUESTS for diagnostic in refusal.diagnostics):
            raise
        return record(diagnostics=refusal.diagnostics)
    selected = _select(read, options.functions, source.name)
    if options.sizes:
        known = (name for f in selected if f.module is not None for name in FunctionView(_function_op(f)).size_names)
        check_request(target, dict(options.sizes), known, source.name)
    outcomes = [_lift_function(function, target, source, options) for function in each(selected, "lifting")]
    SESSION.forget()
    if found is not None:
        found.update({function.name: lifting for function, lifting in outcomes if lifting is not None})
    return record(tuple(function for function, _ in outcomes))


def intermediate(source: Source, options: LiftOptions, form: str) -> list[Intermediate]:
    """Give each function in an earlier form.

    ``literal`` is its literal IR, ``ir`` the loop IR, ``definitions`` its meaning, ``sketches`` how that is covered.
    """
    read = with_deep_stack(lambda: read_functions(source, options))
    return [with_deep_stack(partial(_intermediate, f, form, options)) for f in read]


def verify(certificate: Mapping[str, Json]) -> tuple[Diagnostic, ...]:
    """Decide a certificate again, without any of the search; no diagnostics means that it holds."""
    from tensorlift.joined import verify_parts
    from tensorlift.proofs.verify import verify as decide

    try:
        reader = partial(_read_back, certificate.get("target"))
        decide_one = partial(decide, find_target=get_target, read_back=reader)
        with_deep_stack(partial(verify_parts, certificate, decide_one))
    except LiftError as failure:
        return with_remedy(failure.diagnostics, "lift the source again")
    return ()


def _read_back(  # noqa: PLR0913 - a program, and how it is read
    target: object, text: str, entry: str, within: Domain, *, divides_sizes: bool, kept: frozenset[Handed] = frozenset()
) -> ReadBack:
    if target == "memref":
        from tensorlift.raising.proved import read_raised

        return read_raised(text, entry, within)
    from tensorlift.readback import read_back

    return read_back(text, entry, within, kept=kept, divides_sizes=divides_sizes)


def _lift_function(function: ReadFunction, target: Target, source: Source, options: LiftOptions) -> Outcome:
    """Lift a function; where its constants became sizes unasked, and that does not help, with its constants."""
    general = lift_by_cases(function, options, lambda one, how: _lift_as_read(one, target, source, how))
    record, _ = general
    if options.generalise is not None or options.sizes or all(d.code not in _GENERALISED for d in function.diagnostics):
        return general
    if record.verdict is Verdict.LOOP_FREE and _takes_all_sizes(record) and not _sizes(record):
        return general
    (as_written,) = reading.read(source, replace(options, functions=(function.name,), generalise=False))
    constant = _lift_as_read(as_written, target, source, options)
    other, _ = constant
    if record.restricted and other.lifted:
        return constant
    if other.verdict is not record.verdict:
        return constant if worst_verdict((record.verdict, other.verdict)) is record.verdict else general
    return general if _takes_all_sizes(record) and _sizes(record) <= _sizes(other) else constant


def _takes_all_sizes(record: FunctionRecord) -> bool:
    """Tell whether the preconditions leave every size free from some number on."""
    on_sizes = [p.condition for p in record.preconditions if isinstance(p.condition, Compare | AnyOf)]
    return all(isinstance(c, Compare) and c.left.atom is not None and c.relation == ">=" for c in on_sizes)


def _sizes(record: FunctionRecord) -> set[str]:
    """List the sizes that the program takes, because no shape tells them."""
    return {parameter.name for parameter in record.parameters if parameter.role is Role.SIZE}


def _lift_as_read(function: ReadFunction, target: Target, source: Source, options: LiftOptions) -> Outcome:
    """Lift a function; where quotients became sizes, and that does not help, with quotients that are data."""
    clock = StageClock()
    if function.module is None:
        return _refused(function, function.diagnostics, options, clock), None
    try:
        return _lift_module(function, target, source, options, clock)
    except LiftError as refusal:
        if options.divides_sizes and any("tl.derived" in op.attributes for op in function.module.ops):
            plain = replace(options, functions=(function.name,), divides_sizes=False)
            (as_data,) = reading.read(source, plain)
            outcome = _lift_as_read(as_data, target, source, plain)
            if outcome[0].lifted:
                return outcome
        record = _refused(function, function.diagnostics + refusal.diagnostics, options, clock)
        return replace(record, engines=refusal.runs if isinstance(refusal, NothingFoundError) else ()), None
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        internal = internal_error(error, function.location)
        return _refused(function, (*function.diagnostics, internal), options, clock), None


def _lift_module(
    function: ReadFunction, target: Target, source: Source, options: LiftOptions, clock: StageClock
) -> Outcome:
    """Take one function through the rooms, each timed by the clock."""
    view = FunctionView(_function_op(function))
    search = search_by(options.engine, options.tactics, options.heuristics, options.limits)
    at, forms_at, replaces = dict(options.sizes), options.forms_at, options.replaces
    wrapping = reading.wrapping_widths_of(function) if target.reads_back else frozenset[int]()
    estimates: dict[str, Any] = {"estimated_at": at | dict(forms_at or ()), "replaces": replaces, "pays": options.pays}
    request = Request(target, options.guards, at, search, **estimates, wrapping=wrapping, places=options.places)
    choice = chosen_program(view, request, clock.stage, options.engine, options.budget, with_forms=forms_at is not None)
    proved = options.rewrites.applied(choice.proved, clock.stage) if options.rewrites else choice.proved
    summary, emitted = proved.summary, proved.emitted
    reports: list[DifferentialReport] = []
    with clock.stage("definitions"):
        half = decide_first_half(function, view, summary)
    others = tuple(function.elsewhere.taken) if function.elsewhere is not None else ()
    with _untested() as warnings:
        if options.test and target.instances:
            require_library(target.library)
        if options.test or not target.library:  # importing another library takes longer than lifting: only if asked
            with clock.stage("check"):
                wanted = half.literal if half.level is not Level.PROVED or options.test else None
                run = LiteralRun.of(view, LiteralInterpreter(wanted)) if wanted is not None else None
                reports.append(_run_small(view, summary, emitted, target.library, proved.view, run))
        if options.test and language_of(source.name) != "mlir":
            with clock.stage("test"):
                reports.append(_run_original(view, summary, emitted, source, options, proved.view, others))
    found = proved.preconditions, proved.view, proved.program, others, half.literal
    lifting = Lifting(view, summary, emitted, proved.certificate, tuple(reports), *found)
    record = record_of(lifting, function.location, source.sha256, options.target, clock.seconds)
    warnings += _unguarded(proved.preconditions) if options.guards else ()
    warnings += _on_trust(proved.program, function) if proved.program is not None else ()
    record = replace(record, definitions=half.level, undecided=half.undecided)
    record = replace(record, diagnostics=(*function.diagnostics, *proved.diagnostics, *warnings))
    if any(d.code in _GENERALISED for d in function.diagnostics):  # what binds a constant that became a size
        bound = any(is_binding(p.condition) for p in proved.preconditions if p.kind in {"extent", "size"})
        record = replace(record, restricted=bound)
    record = record if target.reads_back else replace(record, engine=choice.engine, engines=choice.runs)
    if not options.adapter:
        return record, lifting
    if target.library or target.reads_back or not reading.is_c(source):
        return replace(record, without_adapter=(no_adapter(function.location),)), lifting
    return _with_adapter(record, view, summary, emitted), lifting


@contextmanager
def _untested() -> Iterator[list[Diagnostic]]:
    """Turn what cannot be tested into warnings: the program is proved all the same."""
    warnings: list[Diagnostic] = []
    try:
        yield warnings
    except LiftError as error:
        if any(d.code not in _UNTESTED for d in error.diagnostics):
            raise
        warnings += [replace(d, severity=Severity.WARNING) for d in error.diagnostics]


def _with_adapter(record: FunctionRecord, view: FunctionView, summary: Summary, emitted: Emitted) -> FunctionRecord:
    """Add the adapter with C's signature, or why there can be none."""
    from tensorlift.contract.adapter import adapter_of

    source_names = {name: source for source, name in emitted_names(view, record.parameters).items()}
    taken = [source_names[parameter.name] for parameter in record.parameters]
    written = [name for name, _ in summary.outputs]
    try:
        return replace(record, adapter=adapter_of(view, emitted.entry, taken, written, record.preconditions))
    except LiftError as refusal:
        return replace(record, without_adapter=refusal.diagnostics)


def _unguarded(preconditions: Sequence[Precondition]) -> tuple[Diagnostic, ...]:
    """Warn of preconditions that the guards leave to the caller."""
    return tuple(
        Diagnostic("TL531", f"no guard checks that {p.text}", p.location, "check it before the call", Severity.WARNING)
        for p in unguarded(preconditions)
    )


def _on_trust(program: TensorProgram, function: ReadFunction) -> tuple[Diagnostic, ...]:
    """Note which operations of an imported dialect have a meaning that was found at some extents only."""
    instances = [node.instance for node in nodes_of(program.body) if isinstance(node, Operation)]
    sampled = sorted({instance.operation for instance in instances if instance.sampled})
    if not sampled:
        return ()
    message = f"what {', '.join(sampled)} compute was found at two sets of extents, and is taken to hold for all"
    return (Diagnostic("TL539", message, function.location, "see docs/dialects.md", Severity.NOTE),)


def read_functions(source: Source, options: LiftOptions) -> Sequence[ReadFunction]:
    """Read the functions of a source that are asked for, into the loop IR."""
    return _select(reading.read(source, options), options.functions, source.name)


def _intermediate(function: ReadFunction, form: str, options: LiftOptions) -> Intermediate:
    if function.module is None and form != "literal":
        return Intermediate(function.name, diagnostics=function.diagnostics)
    SESSION.restart()
    try:
        return Intermediate(function.name, _form(function, form, options))
    except LiftError as refusal:
        return Intermediate(function.name, diagnostics=refusal.diagnostics)


def _form(function: ReadFunction, form: str, options: LiftOptions) -> str:
    from tensorlift.comprehension.notation import show_summary
    from tensorlift.ir.text import print_module

    if form == "literal":
        return print_module(reading.literal_module(function), locations=options.places)
    assert function.module is not None
    if form == "ir":
        return print_module(function.module, locations=options.places)
    summary = summarise(_function_op(function), places=True)
    if form == "definitions":
        return show_summary(summary)
    from tensorlift.synthesis.simplify import simplify
    from tensorlift.synthesis.sketch import sketches

    return sketches(simplify(summary), get_target(options.target))


def _function_op(function: ReadFunction) -> Any:
    assert function.module is not None
    (func_op,) = functions_of(function.module)
    return func_op


def _run_small(  # noqa: PLR0913, PLR0917 - a source and a program, each in several forms
    view: FunctionView,
    summary: Summary,
    emitted: Emitted,
    library: str,
    program: FunctionView | None,
    literal: LiteralRun | None,
) -> DifferentialReport:
    """Run the program against the interpreter at the smallest sizes and at two others.

    One that is written for a library of its own runs in a limited subprocess, so that the library is not loaded here;
    one that was read back is interpreted too.
    """
    domain = _defined(summary, view)
    chosen = choose_sizes(
        view.parameters, domain, seeded(_SMALL_SEED), _SMALL_CASES, largest=_SMALL_SIZE, derived=summary.derived
    )
    sizes = stretched(view, domain, chosen, summary.derived)
    if program is not None:
        from tensorlift.runtime.differential import compare_as_read

        return compare_as_read(view, program, sizes, literal)
    outputs = [name for name, _ in summary.outputs]
    if library:
        from tensorlift.runtime.differential import interpreter_test

        return interpreter_test(
            view, emitted.text, emitted.entry, outputs=outputs, sizes=sizes, library=library, literal=literal
        )
    return compare_with_interpreter(view, emitted.text, emitted.entry, outputs, sizes, literal=literal)


def _run_original(  # noqa: PLR0913, PLR0917 - a source and a program, each in two forms
    view: FunctionView,
    summary: Summary,
    emitted: Emitted,
    source: Source,
    options: LiftOptions,
    program: FunctionView | None,
    others: Iterable[OtherFile],
) -> DifferentialReport:
    """Run the program against the source, compiled, both in limited subprocesses."""
    from tensorlift.runtime.differential import differential_test
    from tensorlift.runtime.original import CompileOptions

    compiler = CompileOptions.of(options, others)
    if program is not None:
        from tensorlift.runtime.differential import compare_compiled
        from tensorlift.runtime.original import Original

        original = Original(source.text, source.name, compiler)
        return compare_compiled(original, view, emitted.text, program, _defined(summary, view), derived=summary.derived)
    return differential_test(
        source.text,
        source.name,
        view,
        emitted.text,
        emitted.entry,
        outputs=[name for name, _ in summary.outputs],
        library=get_target(options.target).library,
        compile_options=compiler,
        domain=_defined(summary, view),
        derived=summary.derived,
    )


def _defined(summary: Summary, view: FunctionView) -> Domain:
    """Return the sizes at which the source is defined, on some inputs, and the front end's assumptions hold."""
    return with_room(summary.context & required(view), Places(view).room())


def _refused(
    function: ReadFunction, diagnostics: tuple[Diagnostic, ...], options: LiftOptions, clock: StageClock
) -> FunctionRecord:
    remedy = "nothing: what is here stays as it was" if options.replaces else "try another target"
    return FunctionRecord(
        function.name,
        Verdict.REFUSED,
        function.location,
        target=options.target,
        seconds=clock.seconds,
        diagnostics=with_remedy(located(diagnostics, function.location), remedy),
    )


def _select(functions: Sequence[ReadFunction], names: Sequence[str], file: str) -> list[ReadFunction]:
    """Keep the functions asked for, in source order; refuse names that the source does not define."""
    if not functions:
        raise refuse(
            "TL506", f"'{file}' defines no function", remedy="give a source file with at least one function body"
        )
    known = [function.name for function in functions]
    for name in names:
        if name not in known:
            raise refuse("TL503", f"'{file}' defines no function '{name}'", remedy=_instead(name, known))
    return [function for function in functions if not names or function.name in names]


def _instead(wrong: str, accepted: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(wrong, accepted, 1)
    return f"did you mean '{near[0]}'?" if near else f"accepted: {', '.join(accepted)}"
