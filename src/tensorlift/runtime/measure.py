"""Runs a lifted program on large inputs in a limited subprocess, beside originals compiled at ``-O3 -march=native``.

Programs in C compiled for a run: by each compiler that is here where they are measured, so that the quickest counts.

A program with the signature of the source is called as the original is.  Another one is called over dense arrays.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from dataclasses import astuple, dataclass, field, replace
from functools import cache
from math import sqrt
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from tensorlift.contract.decide import holds
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.interpreter import Interpreter, InterpreterError, TooLongError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.runtime.backends import GPU, Backend
from tensorlift.runtime.cases import MOST_ITERATIONS
from tensorlift.runtime.compare import SIGNLESS, Array, Tolerance
from tensorlift.runtime.compilers import Compiler, lifted_builds
from tensorlift.runtime.data import LARGE_STYLES, Style, random_arguments, seeded
from tensorlift.runtime.differential import without_original
from tensorlift.runtime.large_sizes import array_bytes_at, large_sizes
from tensorlift.runtime.layout import layout_of
from tensorlift.runtime.measure_worker import UNSTABLE
from tensorlift.runtime.original import SUFFIX, Original, call_arguments, compile_original, python_facts
from tensorlift.runtime.places import Places
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.runtime.workers import UNLIMITED, Limits, WorkerError, run_limited, run_worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.contract.language import Condition
    from tensorlift.ir.function import FunctionView
    from tensorlift.poly.domain import Domain


_FILE = "program.c"


def compiled_program(
    text: str, view: FunctionView, sizes: Mapping[str, int], folder: Path, *, by_all: bool
) -> dict[str, Any]:
    """Compile a program, in ``folder``, and say for the worker how to call it; ``by_all`` asks for every compiler.

    Raises LiftError: TL601 without a compiler, TL602 where it does not compile.
    """
    start = time.perf_counter()
    libraries: dict[str, str] = {}
    for name, build in lifted_builds(by_all=by_all).items():
        place = folder / f"program-{name}"
        place.mkdir()
        libraries[name] = str(compile_original(Original(text, _FILE), view, place, Limits(), build))
    own = {**sizes, **{p.name: sizes[p.name.rstrip("_")] for p in view.parameters if p.name.rstrip("_") in sizes}}
    case, lengths = call_arguments(view, 0, own)
    shapes = {p.name: layout_of(p, own).shape for p in view.parameters if p.role == "array"}
    types = {p.name: NUMPY_TYPES[p.dtype].name for p in view.parameters}
    described = {"libraries": libraries, "case": case, "shapes": shapes, "types": types}
    described["lengths"] = {name: array.tolist() for name, array in lengths.items()}
    return {**described, "written": list(view.written), "load": time.perf_counter() - start}


PYTHON = "python"  # the name of a Python original
_LOOP = re.compile(r"^ +for ", re.MULTILINE)
_COPIES = 6  # of the arguments that exist at once
_USUAL_CELLS = 1e4  # of an array for which the usual tolerance is meant
_FILE_SIZE = 1 << 36
_SMALL_CASES, _SMALL_SIZE, _SOME_BYTES = 4, 5, 1 << 11
_PARTIAL = {
    f"arith.{name}" for name in ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "shli", "shrsi")
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which a program runs: seed, device, number of threads, and the most seconds that the process may take.

    With a ``mesh`` the program is spread over so many devices.  With ``fresh_memory`` the C library gives memory that
    is freed back to the system, as it does unless told otherwise.
    """

    seed: int = 0
    device: str = "cpu"
    threads: int = 1
    wall_seconds: float = 120.0
    fresh_memory: bool = False
    mesh: int = 0

    def limits(self) -> Limits:
        """Give the limits of the process."""
        memory = UNLIMITED if self.device == GPU else 2 * physical_memory()  # drivers map more than there is
        return Limits(self.wall_seconds, int(self.wall_seconds * self.threads) + 1, memory, _FILE_SIZE, self.threads)


@dataclass(frozen=True, slots=True)
class Program:
    """A lifted program, and the backend to run it on; ``view`` is its function where it was read back."""

    text: str
    entry: str
    backend: Backend
    view: FunctionView | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether it is compiled as a whole."""
        return bool(self.backend.compiled) and not (self.backend.unrolls and _LOOP.search(self.text))


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is run at: the function, its sizes, its outputs by name, and the styles of inputs that may be drawn.

    ``ranges`` hold the least value and the one behind the greatest for arrays of places of other arrays; ``unread``
    are arrays that are written and whose contents before the call are not read.
    """

    view: FunctionView
    sizes: Mapping[str, int]
    outputs: tuple[str, ...]
    styles: tuple[str, ...] = LARGE_STYLES
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OutputFacts:
    """One result: type, shape, sum of the finite elements, digest of the bytes."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    sum: float
    sha256: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What a process reported.

    ``times`` are the seconds of the steps of the first call: ``library``, ``load``, ``give``, ``first_call``, ``take``.
    ``samples`` are seconds of calls, by contender, taken in turns; the program's is ``program``.  ``complaints`` tell
    by original how the results differ; where the original depends as much on the last bits of its inputs, it is in
    ``unstable``.  ``compiler`` is the one of several whose program in C is the quickest.
    ``parts`` tells in how many parts the devices of a mesh hold each array.
    """

    style: str
    outputs: tuple[OutputFacts, ...]
    times: Mapping[str, float] = field(default_factory=dict)
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)
    complaints: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unstable: tuple[str, ...] = ()
    error: float = 0.0
    results: tuple[Array, ...] = ()
    compiler: str = ""
    parts: Mapping[str, int] = field(default_factory=dict)


def measure(  # noqa: PLR0913 - what to run, how often, and what to keep
    inputs: Inputs,
    program: Program | None,
    originals: Sequence[Mapping[str, Any]],
    conditions: Conditions,
    *,
    tolerance: Tolerance | None = None,
    rounds: int = 0,
    seconds: float = 0.0,
    keep: bool = False,
) -> Measured:
    """Run a program, and originals as `prepared_originals` gives them, on the same inputs, in one limited process.

    With a ``tolerance`` results are compared; with ``rounds`` calls are timed, for about ``seconds``.
    Raises LiftError TL606 where the process fails, TL635 where the device is missing, TL636 where the arrays are too
    large for the memory, TL601 and TL602 where a program in C cannot be compiled.
    """
    view = inputs.view
    if tolerance and program:
        tolerance = replace(tolerance, signless=program.backend.module in SIGNLESS)
    _check_memory(inputs)
    _, lengths = _call(inputs)
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
        described = _described(program, inputs, conditions, Path(folder), timed=rounds > 0) if program else None
        facts = _facts(inputs, described, originals, conditions, tolerance)
        facts |= {"rounds": rounds, "seconds": seconds, "keep": keep}
        try:
            reply, arrays = run_worker("measure_worker", facts, lengths, conditions.limits())
        except WorkerError as error:
            raise _failed(error, view, conditions, program) from None
    if "missing" in reply:
        message = f"there is no {conditions.device.upper()} to run on: {reply['missing']}"
        raise refuse("TL635", message, remedy="give a smaller --mesh" if conditions.mesh else "leave --device out")
    return _measured(reply, arrays)


def _facts(
    inputs: Inputs,
    program: Mapping[str, Any] | None,
    originals: Sequence[Mapping[str, Any]],
    conditions: Conditions,
    tolerance: Tolerance | None,
) -> dict[str, Any]:
    """Say for the worker what to run, and on what."""
    view = inputs.view
    return {
        "parameters": [_parameter(inputs, position) for position in range(len(view.parameters))],
        "sizes": dict(inputs.sizes),
        "seed": conditions.seed,
        "styles": list(inputs.styles),
        "ranges": {name: list(ends) for name, ends in inputs.ranges.items()},
        "rising": sorted(Places(view).bounds),
        "outputs": list(inputs.outputs),
        "written": list(view.written),
        "restored": [name for name in view.written if name not in inputs.unread],
        "result": NUMPY_TYPES[view.result_dtype].name if view.result_dtype else "",
        "threads": conditions.threads,
        "fresh_memory": conditions.fresh_memory,
        "program": program,
        "originals": list(originals),
        "compare": astuple(tolerance) if tolerance else None,
    }


def prepared_originals(
    original: Original, inputs: Inputs, compilers: Iterable[Compiler], folder: Path
) -> list[dict[str, Any]]:
    """Compile an original with each compiler, in folders of their own in ``folder``; a Python one needs none.

    Raises LiftError TL601 to TL603, the first of them only where no compiler compiles it.
    """
    if original.filename.endswith(SUFFIX):
        return [{"name": PYTHON, **python_facts(original, inputs.view)}]
    arguments, _ = _call(inputs)
    found, refusal = [], None
    for compiler in compilers:
        place = folder / compiler.name
        place.mkdir()
        try:
            library = compile_original(original, inputs.view, place, Limits(), compiler.build)
        except LiftError as error:
            refusal = refusal or error
        else:
            found.append({"name": compiler.name, "library": str(library), "case": arguments})
    if refusal is not None and not found:
        raise refusal
    return found


def has_original(filename: str) -> bool:
    """Tell whether there is anything to run a program beside: MLIR is not compiled here."""
    return PurePath(filename).suffix != ".mlir"


def is_compiled(filename: str) -> bool:
    """Tell whether an original is compiled; Python runs as it is."""
    return has_original(filename) and not filename.endswith(SUFFIX)


def admitted_values(
    view: FunctionView, sizes: Mapping[str, int], domain: Domain, seed: int, conditions: Sequence[Condition | None]
) -> tuple[tuple[str, ...], dict[str, tuple[int, int]]]:
    """List the styles of inputs, best first, on which the source is defined at small sizes and its conditions hold.

    The ranges of places go with them.  ``domain`` are the sizes at which the source is defined.  Raises LiftError
    TL621 where there is no style.
    """
    scalars = [parameter for parameter in view.parameters if parameter.role != "array"]
    places = Places(view)
    found = ((_first_defined(view, domain, places, share), share) for share in places.shares)
    first, share = next(((k, s) for k, s in found if k < len(LARGE_STYLES)), (len(LARGE_STYLES), 0.0))
    fitting = []
    for style in LARGE_STYLES[first:]:
        drawn = random_arguments(scalars, sizes, seeded(seed), style)
        if all(condition is None or holds(condition, {**drawn, **sizes}) for condition in conditions):
            fitting.append(style)
    if not fitting:
        message = "no input was found on which the source is defined and its preconditions hold"
        raise refuse("TL621", message, view.location, "initialise what is read, and keep divisors from zero")
    return tuple(fitting), places.ranges(sizes, share)


def _first_defined(view: FunctionView, domain: Domain, places: Places, share: float) -> int:
    """Give the place of the first style on which the source has a meaning at small sizes; 0 where nobody can tell.

    Where operations have no meaning on some integers, as a division by zero, there are enough cells for each integer.
    """
    interpreter = Interpreter(view, MOST_ITERATIONS)
    try:
        small = list(choose_sizes(view.parameters, domain, seeded(0), _SMALL_CASES, largest=_SMALL_SIZE))
        if any(operation.name in _PARTIAL for operation in view.operations):
            small.append(large_sizes(view, domain, _SOME_BYTES))
    except LiftError:
        return 0
    ranges = [places.ranges(sizes, share) for sizes in small]
    tries = list(zip(small, ranges, strict=True))
    defined = (k for k, style in enumerate(LARGE_STYLES) if all(_is_defined(interpreter, *at, style) for at in tries))
    return next(defined, len(LARGE_STYLES))


def _is_defined(
    interpreter: Interpreter, sizes: Mapping[str, int], ranges: Mapping[str, tuple[int, int]], style: Style
) -> bool:
    """Tell whether the source has a meaning on inputs of a style; one that takes too long is taken to have one."""
    try:
        interpreter(random_arguments(interpreter.view.parameters, sizes, seeded(0), style, ranges))
    except TooLongError:
        return True
    except (InterpreterError, ValueError):
        return False
    return True


def tolerance_at(inputs: Inputs) -> Tolerance:
    """State how far results may be off: more for longer sums, as the square root of the cells of the largest array."""
    usual = Tolerance()
    parameters = [p for p in inputs.view.parameters if p.role == "array"]
    cells = max((array_bytes_at(p, inputs.sizes) // NUMPY_TYPES[p.dtype].itemsize for p in parameters), default=1)
    factor = max(1.0, sqrt(cells / _USUAL_CELLS))
    return Tolerance(usual.f64 * factor, usual.f32 * factor, usual.f16 * factor, usual.bf16 * factor)


def physical_memory() -> int:
    """Return the bytes of memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


@cache
def numpy_import_seconds() -> float:
    """Measure how long a fresh Python takes to import NumPy, which all libraries import."""
    code = "import time; start = time.perf_counter(); import numpy; print(time.perf_counter() - start)"
    outcome = run_limited([sys.executable, "-I", "-c", code], Path("/"), Limits())
    return float(outcome.output) if outcome.failure is None else 0.0


def _check_memory(inputs: Inputs) -> None:
    needed = _COPIES * sum(array_bytes_at(p, inputs.sizes) for p in inputs.view.parameters)
    if needed > physical_memory():
        message = f"the arrays take too much memory: about {needed / 1e9:.1f} GB with their copies"
        remedy = f"give smaller sizes: this machine has {physical_memory() / 1e9:.1f} GB"
        raise refuse("TL636", message, inputs.view.location, remedy)


def _call(inputs: Inputs) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    return call_arguments(inputs.view, 0, inputs.sizes)


def _parameter(inputs: Inputs, position: int) -> dict[str, Any]:
    parameter = inputs.view.parameters[position]
    shape = layout_of(parameter, inputs.sizes).shape if parameter.role == "array" else ()
    dtype = NUMPY_TYPES[parameter.dtype].name
    return {"name": parameter.name, "role": parameter.role, "type": parameter.dtype, "dtype": dtype, "shape": shape}


def _described(
    program: Program, inputs: Inputs, conditions: Conditions, folder: Path, *, timed: bool
) -> dict[str, Any]:
    """Say for the worker how a program is run; one in C is compiled first, in ``folder``."""
    if program.backend.in_memory:
        text = without_original(program.text, inputs.view.name)
        view = program.view if text == program.text and program.view is not None else inputs.view
        return compiled_program(text, view, inputs.sizes, folder, by_all=timed)
    return {
        "text": program.text,
        "entry": program.entry,
        "module": program.backend.module,
        "device": conditions.device,
        "mesh": conditions.mesh,
        "compiled": program.is_compiled,
    }


def _failed(error: WorkerError, view: FunctionView, conditions: Conditions, program: Program | None) -> LiftError:
    if error.outcome.returncode is None:
        who = f"on {program.backend.name} " if program else ""
        message = f"running '{view.name}' {who}takes longer than {conditions.wall_seconds:g} s"
        return refuse("TL637", message, view.location, "give smaller sizes, or a longer --time-limit")
    what = "lifted program" if program else "original"
    return refuse("TL638", f"running the {what} failed: {error}", view.location, "try smaller sizes")


def _measured(reply: Mapping[str, Any], arrays: Mapping[str, Array]) -> Measured:
    complaints = {name: list(found) for name, found in reply.get("complaints", {}).items()}
    unstable = tuple(name for name, found in complaints.items() if UNSTABLE in found)
    return Measured(
        reply["style"],
        tuple(OutputFacts(**{**output, "shape": tuple(output["shape"])}) for output in reply["outputs"]),
        reply["times"],
        reply.get("samples", {}),
        {name: [c for c in found if c != UNSTABLE] for name, found in complaints.items()},
        unstable,
        reply.get("error", 0.0),
        tuple(arrays[f"result:{k}"] for k in range(len(arrays))),
        reply.get("compiler", ""),
        reply.get("parts", {}),
    )
