"""What exploring a source shows of its functions: programs, definitions, IR after each pass, why a lift is right, cost.

One view is asked for at a time, as a page shows one, so that lifting as one types costs no more than that.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift import reading
from tensorlift.commands.auto import estimated, sizes_of
from tensorlift.commands.benchmark import Settings, benchmark
from tensorlift.commands.options import lift_options
from tensorlift.commands.scan_lines import matches
from tensorlift.deep import with_deep_stack
from tensorlift.derivation import derivation_of
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c.extents import has_errors, last_lines_of
from tensorlift.frontends.c.reader import parser_arguments
from tensorlift.ir.text import print_module
from tensorlift.normalise.loop_ir import FORTRAN, MLIR, PYTHON, C, rewrite
from tensorlift.pipeline import LiftOptions, lift_to_run, read_functions
from tensorlift.record import Exploration, Text
from tensorlift.report.bench import show_bench
from tensorlift.report.program import language
from tensorlift.runtime.backends import BACKENDS
from tensorlift.runtime.large_sizes import parse_sizes
from tensorlift.runtime.measure import Conditions, processors
from tensorlift.session import SESSION
from tensorlift.source import language_of
from tensorlift.targets import get_target, imported_names, target_names

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.interface import Lifting
    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

ENGINES = ("auto", "derive", "tactics", "sketch", "sketch-whole", "enumerate")
FILES = {
    "c": "explore.c",
    "cpp": "explore.cpp",
    "fortran": "explore.f90",
    "python": "explore.py",
    "mlir": "explore.mlir",
}
VIEWS = ("program", "definitions", "ir", "derivation", "certificate", "cost")
_LANGUAGES = {"fortran": FORTRAN, "python": PYTHON, "mlir": MLIR}  # any other is read as C for its passes
_PLACE = re.compile(r'"([^"]*)":(\d+):\d+')
_LOCATION = " loc("
_ROUNDS, _SAMPLING = 7, 0.3  # samples of each contender, and the seconds for them


def options_of(target: str, sizes: str, **choices: Any) -> LiftOptions:
    """Make options of a target and sizes as people write them, "n=4, m=5"; raises LiftError for wrong ones."""
    get_target(target)
    return LiftOptions(target=target, sizes=tuple(parse_sizes([sizes]).items()), **choices)


def targets() -> tuple[str, ...]:
    """Return the names of the targets, those that were imported included."""
    return (*target_names(), *imported_names())


def options_for(file: str, target: str, flags: Mapping[str, Any]) -> LiftOptions:
    """Make options for a file of a project, as a command's flags say; a build's database is of files in C and C++."""
    get_target(target)
    database = flags.get("database") if language_of(file) in {"c", "c++"} else None
    return lift_options(file, (), target, {**flags, "database": database})


def ends(source: Source, options: LiftOptions) -> dict[tuple[str, int], int]:
    """Tell of the functions in C and Python behind which text may be put, by name and line, on which line they end."""
    try:
        if language_of(source.name) == "c":
            return last_lines_of(source.text, source.name, _arguments(options))
        found = ast.parse(source.text).body if language_of(source.name) == "python" else []
    except (LiftError, SyntaxError):
        return {}
    functions = [one for one in found if isinstance(one, ast.FunctionDef)]
    return {(one.name, one.lineno): one.end_lineno or one.lineno for one in functions}


def is_read(source: Source, options: LiftOptions) -> bool:
    """Whether a parser of its language, C or Python, takes a source."""
    if language_of(source.name) == "c":
        return not has_errors(source.text, source.name, _arguments(options))
    try:
        compile(source.text, source.name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _arguments(options: LiftOptions) -> list[str]:
    return parser_arguments(options.include_dirs, options.include_files, options.defines, options.std)


def measured(source: Source, options: LiftOptions, seconds: float) -> str:
    """Run a function beside its original, in limited processes, and say how long they take and whether they agree.

    Raises:
        LiftError: where it is refused, or cannot be run.

    """
    backend = next(one for one in BACKENDS if one.target == options.target)
    conditions = Conditions(threads=processors(), wall_seconds=seconds)
    settings = Settings((backend,), rounds=_ROUNDS, seconds=_SAMPLING, conditions=conditions)
    settings = replace(settings, sizes=dict(options.sizes) or None)
    return show_bench(benchmark(source, lambda target: replace(options, target=target, sizes=()), settings))


def explored(source: Source, options: LiftOptions, views: Collection[str]) -> Exploration:
    """Lift a source, and give what views of it show; sizes count where a target takes them, and for what it costs.

    Raises:
        LiftError: where the request itself is wrong.

    """
    sizes = dict(options.sizes)
    if not get_target(options.target).takes_sizes:
        options = replace(options, sizes=())
    record, found = lift_to_run(source, options)
    lifted = [(one, found[one.name]) for one in record.functions if one.name in found]
    shown = Exploration(record, {one.name: _program(one, lifting) for one, lifting in lifted})
    if {"definitions", "derivation"} & {*views}:
        told = with_deep_stack(lambda: {one.name: derivation_of(one, own, source) for one, own in lifted})
        shown = replace(shown, derivations=told)
    if "ir" in views:
        shown = replace(shown, passes=with_deep_stack(partial(_passes, source, options)))
    if "cost" in views and found:
        shown = with_deep_stack(partial(_with_estimates, shown, found, sizes))
    return shown


def _program(function: FunctionRecord, lifting: Lifting) -> Text:
    of: dict[int, list[tuple[int, int]]] = {}
    for first, last, *lines in matches(lifting):
        for number in range(first, last + 1):
            of.setdefault(number, []).append((lines[0], lines[1]))
    return Text(function.name, function.program.rstrip("\n"), language(function.target).name, of)


def _with_estimates(shown: Exploration, found: Mapping[str, Lifting], sizes: Mapping[str, int]) -> Exploration:
    """Add what a call of all functions is expected to take on each target."""
    try:
        at = {name: size for one in found.values() for name, size in sizes_of(one, sizes).items()}
        ranked = sorted(estimated(found.values(), sizes), key=lambda one: one.seconds)
    except LiftError:
        return shown  # there are no sizes at which arrays can exist
    return replace(shown, estimates={one.target: one.seconds for one in ranked}, at=at)


def _passes(source: Source, options: LiftOptions) -> dict[str, tuple[Text, ...]]:
    """Give by functions their IR: literal, after each pass that changes it, and as loops."""
    SESSION.restart()
    try:
        return {one.name: tuple(_passes_of(one, source)) for one in read_functions(source, options)}
    except LiftError:
        return {}


def _passes_of(function: ReadFunction, source: Source) -> list[Text]:
    stages: list[Text] = []

    def show(title: str, module: ModuleOp) -> None:
        text, of = _without_locations(print_module(module, locations=True), source.name)
        if not stages or stages[-1].text != text:
            stages.append(Text(title, text, "mlir", of))

    try:
        literal = reading.literal_module(function).clone()
        show("literal", literal)
        passes = _LANGUAGES.get(language_of(source.name), C)
        rewrite(literal, function.location, passes, lambda name: show(f"after {name}", literal))
    except LiftError:
        return stages  # the lift says why
    if function.module is not None:
        show("loops", function.module)
    return stages


def _without_locations(text: str, file: str) -> tuple[str, dict[int, list[tuple[int, int]]]]:
    """Take locations out of a module, and tell by its lines which of the file they name.

    The location of an operation with regions stands where the last one closes, and is that of its first line too.
    """
    lines, of, open_lines = [], dict[int, list[tuple[int, int]]](), list[int]()
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        kept, *located = line.split(_LOCATION)
        for part in located:
            end = _closing(part)
            places = (place for place in _PLACE.finditer(part[:end]) if place[1] == file)
            of.setdefault(number, []).extend((int(place[2]), int(place[2])) for place in places)
            kept += part[end + 1 :]
        lines.append(kept)
        if kept.lstrip().startswith("}") and open_lines:
            of.setdefault(open_lines.pop(), []).extend(of.get(number, ()))
        if kept.endswith("{"):
            open_lines.append(number)
    return "\n".join(lines), {number: found for number, found in of.items() if found}


def _closing(text: str) -> int:
    """Find the parenthesis that closes one that was opened before a text."""
    depth = 1
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if not depth:
            return at
    return len(text)
