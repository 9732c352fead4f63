"""How much C and C++ is read literally, and whether it runs as compiled: ``python bench/literal.py [--old] [NAME...]``.

Each function of the corpora that is read is run by the interpreter of literal IR on a few small inputs, and, where C
gives these a meaning, compared bit by bit with the function compiled by ``cc -O0``.  All originals are one shared
library for each language, in which each file has names of its own.  Sizes and arguments are drawn for the signature
that the lifting front end finds, so only functions that it reads too are run.  ``--old`` also compares the
interpreter of loop IR.
"""

from __future__ import annotations

import argparse
import copy
import ctypes
import json
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.signatures import calling_text, can_be_called, draw, run_compiled, run_literally
from tensorlift.contract.required import required
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.cpp.cpp_types import CppTypes, is_reference
from tensorlift.frontends.cpp.reader import parse_cpp
from tensorlift.ir.function import FunctionView, function_named
from tensorlift.ir.interpreter import Interpreter, InterpreterError
from tensorlift.ir.literal_interpreter import EndedError, LiteralInterpreter, TooLongError, UndefinedError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.languages.c import read_c
from tensorlift.languages.cpp import read_parsed_cpp
from tensorlift.ops.c_types import CType, OtherType
from tensorlift.readers.clang import LiteralFunction, LiteralModule, read_literally
from tensorlift.readers.clang.cpp import literal_cpp_module
from tensorlift.runtime.call_file import call_file, cpp_call_file
from tensorlift.runtime.compare import Tolerance, compare
from tensorlift.runtime.data import STYLES, random_arguments, seeded
from tensorlift.runtime.layout import layout_of
from tensorlift.runtime.literal import LiteralRun
from tensorlift.runtime.original import call_arguments
from tensorlift.runtime.original_worker import Buffer
from tensorlift.runtime.sizes import choose_sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tensorlift.frontends.cpp.instances import Instance

    Arguments = dict[str, Any]

ROOT = Path(__file__).parent.parent
CORPORA = ("bench/kernels", "bench/legacy_programs", "examples", "tests/programs", "tests/frontends/agreement.c")
CPP_CORPORA = ("bench/cpp_programs", "bench/kernels", "examples", "tests/programs")
_FLAGS = ("-O0", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-DNDEBUG", "-shared", "-fPIC", "-w")
_MOST_BRANCHES = 2_000_000
_FEW_BRANCHES = 20_000
_STOPS = (UndefinedError, TooLongError, EndedError)
_TRIES = 40  # arguments drawn for a signature alone
_SIZES = 3  # sizes to run each function at
# Where libm rounds a single another way than the double rounded to it, one unit in the last place is no disagreement.
_SINGLE_MATH = {"arith.addf", "arith.subf", "math.absf", "math.sqrt", "math.floor", "math.ceil", "math.trunc"}


@dataclass
class Subject:
    """One function of the corpora: what the literal reader says, and the view of the old front end to draw from."""

    path: Path
    module: LiteralModule
    function: LiteralFunction
    view: FunctionView | None
    result: str = ""  # equal, undefined, or what differs
    remark: str = ""
    ran: int = 0
    old: str = ""
    stops: Counter[str] = field(default_factory=Counter)  # inputs on which the interpreter stopped, by why

    def note(self, stop: Exception) -> None:
        """Note that a run stopped."""
        self.remark = f"{type(stop).__name__}: {stop}"
        self.stops[type(stop).__name__] += 1


@dataclass
class Corpus:
    """The functions of some files, with what reading took, and the files that were refused."""

    subjects: list[Subject] = field(default_factory=list)
    refused: dict[Path, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=lambda: {"literal": 0.0, "old": 0.0})


def files(names: Sequence[str] = CORPORA, suffix: str = ".c") -> list[Path]:
    """List the files of a language in some folders."""
    found = [ROOT / name for name in names]
    listed = [path for start in found for path in (sorted(start.rglob(f"*{suffix}")) if start.is_dir() else [start])]
    return [path for path in listed if path.suffix == suffix]


def read(paths: Iterable[Path], *, old: bool = True) -> Corpus:
    """Read files with both readers."""
    corpus = Corpus()
    for path in paths:
        if path.suffix == ".cpp":
            _read_cpp(path, corpus)
            continue
        text, folder = path.read_text(encoding="utf-8"), [str(path.parent)]
        try:
            begin = time.perf_counter()
            module = read_literally(text, str(path), include_dirs=folder, defines=["NDEBUG"])
            corpus.seconds["literal"] += time.perf_counter() - begin
            begin = time.perf_counter()
            lifted = read_c(text, str(path), include_dirs=folder, defines=["NDEBUG"]) if old else []
            corpus.seconds["old"] += time.perf_counter() - begin
        except LiftError as error:
            corpus.refused[path] = str(error)
            continue
        views = {item.name: FunctionView(op) for item in lifted if item.module is not None for op in item.module.ops}
        corpus.subjects += [Subject(path, module, f, views.get(f.name)) for f in module.functions]
    return corpus


def _read_cpp(path: Path, corpus: Corpus) -> None:
    """Read the functions of a C++ file with both readers."""
    begin = time.perf_counter()
    file = parse_cpp(path.read_text(encoding="utf-8"), str(path), include_dirs=[str(path.parent)], defines=["NDEBUG"])
    lifted = {function.name: function for function in read_parsed_cpp(file)}
    corpus.seconds["old"] += time.perf_counter() - begin
    for instance in file.found:
        name, place = instance.name, lifted[instance.name].location
        operations = [op for m in (lifted[name].module,) if m is not None for op in m.ops]
        begin = time.perf_counter()
        try:
            module = literal_cpp_module(file, instance)
            function = LiteralFunction(name, place, function_named(module, name), *_signature(instance))
        except LiftError as error:
            module, function = ModuleOp([]), LiteralFunction(name, place, None, diagnostics=error.diagnostics)
        corpus.seconds["literal"] += time.perf_counter() - begin
        view = next((FunctionView(op) for op in operations if op.name == "func.func"), None)
        corpus.subjects.append(Subject(path, LiteralModule(module, (function,)), function, view))


def _signature(instance: Instance) -> tuple[tuple[tuple[str, CType], ...], CType]:
    """Give the types of what a function takes and returns; those of references and objects are no C types."""
    types, cursor = CppTypes(), instance.cursor

    def read(clang_type: Any) -> CType:
        is_plain = not is_reference(clang_type) and types.container(clang_type) is None
        return types.read(clang_type) if is_plain else OtherType(clang_type.spelling, "type")

    return tuple((p.spelling, read(p.type)) for p in cursor.get_arguments()), read(cursor.result_type)


def run(subjects: Sequence[Subject], *, old: bool = False) -> None:
    """Compile the originals, run both on the same inputs, and note what came of it."""
    for suffix in sorted({s.path.suffix for s in subjects}):
        _run_language([s for s in subjects if s.path.suffix == suffix], old=old)


def _run_language(subjects: Sequence[Subject], *, old: bool) -> None:
    chosen = [s for s in subjects if s.function.operation is not None and (s.view is not None or _is_alone(s))]
    interpreters = {id(s.module): LiteralInterpreter(s.module.module) for s in chosen}
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
        library = ctypes.CDLL(str(_compiled(chosen, Path(folder))))
        for number, subject in enumerate(chosen):
            original, interpreter = library[f"tl_call_{number}"], interpreters[id(subject.module)]
            if subject.view is None:
                _run_alone(subject, interpreter, original)
            else:
                _run(subject, interpreter, original, old=old)


def _is_alone(subject: Subject) -> bool:
    """Whether a function can be run without a view of the old front end."""
    return can_be_called(subject.function)


def _compiled(subjects: Sequence[Subject], folder: Path) -> Path:
    """Compile the files of all subjects to one library with one calling function each."""
    if subjects and subjects[0].path.suffix == ".cpp":
        return _compiled_cpp(subjects, folder)
    units: dict[Path, list[str]] = {}
    for number, subject in enumerate(subjects):
        lines = units.setdefault(subject.path, _renamed(subject, len(units)))
        if subject.view is None:
            body = calling_text(subject.function, f"tl_call_{number}")
        else:
            _, _, body = call_file("", subject.view).partition("\n")
            body = re.sub(r"tl_(call|clock|nanoseconds)\b", rf"tl_\1_{number}", body)
        lines.append(body)
    names = []
    for number, lines in enumerate(units.values()):
        names.append(f"unit_{number}.c")
        (folder / names[-1]).write_text("\n".join(lines), encoding="utf-8")
    command = ["cc", *_FLAGS, "-o", "originals.so", *names, "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return folder / "originals.so"


def _compiled_cpp(subjects: Sequence[Subject], folder: Path) -> Path:
    """Compile C++ as one text, each file in a namespace of its own, behind the headers that all of them include."""
    heads: dict[str, None] = {}
    units: dict[Path, list[str]] = {}
    for number, subject in enumerate(subjects):
        head, body = "", f'extern "C" {calling_text(subject.function, f"tl_call_{number}")}'
        if subject.view is not None:
            head, _, body = cpp_call_file("", subject.view).partition('#include ""\n')
        heads[head] = None
        lines = re.findall("^#include <.*", subject.path.read_text(encoding="utf-8"), re.MULTILINE)
        heads |= dict.fromkeys(f"{line}\n" for line in lines)
        body = re.sub(r"tl_(call|clock|nanoseconds)\b", rf"tl_\1_{number}", body)
        units.setdefault(subject.path, [f"#include {json.dumps(str(subject.path))}\n"]).append(body)
    spaces = [f"namespace tl_unit_{k} {{\n{''.join(lines)}\n}}\n" for k, lines in enumerate(units.values())]
    (folder / "originals.cpp").write_text("".join([*heads, *spaces]), encoding="utf-8")
    command = ["c++", "-std=c++17", "-fno-access-control", *_FLAGS, "-o", "originals.so", "originals.cpp"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return folder / "originals.so"


def _renamed(subject: Subject, number: int) -> list[str]:
    """Include a file under names of its own, for the functions and variables that it defines."""
    defined = [f.name for f in subject.module.functions]
    defined += [op.sym_name.data for op in subject.module.module.ops if op.name == "memref.global"]
    lines = [f"#define {name} tl_{number}_{name}" for name in dict.fromkeys(defined) if name.isidentifier()]
    return [*lines, f"#include {json.dumps(str(subject.path))}"]


def _run_alone(subject: Subject, interpreter: LiteralInterpreter, original: Any) -> None:
    """Run a function on arguments drawn for its signature; variables at file scope begin as zeros, as in C."""
    function, rng, ran = subject.function, seeded(zlib.crc32(subject.function.name.encode())), 0
    for cells in interpreter.memories.values():
        cells[:] = [0 if cell is None else cell for cell in cells]
    for _ in range(_TRIES):
        values, before = draw(function, rng), {name: list(cells) for name, cells in interpreter.memories.items()}
        try:
            mine = run_literally(function, interpreter, values, _FEW_BRANCHES)
        except _STOPS as error:
            subject.note(error)
            interpreter.memories |= before
            continue
        ran += 1
        theirs = run_compiled(function, original, values)
        for one, other in zip(mine, theirs, strict=True):
            found = _different(subject, "", one, other)
            if found:
                subject.result = f"{found} on {[value.ravel()[:4] for value in values]}"
                return
    subject.result, subject.ran = "equal" if ran else "undefined", ran


def _run(subject: Subject, interpreter: LiteralInterpreter, original: Any, *, old: bool) -> None:
    """Run a function at several sizes until one input has a meaning at each."""
    assert subject.view is not None
    ran = 0
    literal = LiteralRun.of(subject.view, interpreter)
    if literal is None:
        subject.result = "the loop IR takes other parameters"
        return
    loops = Interpreter(subject.view) if old else None
    for arguments in _drawn(subject.view, zlib.crc32(subject.function.name.encode())):
        for one in arguments:
            try:
                after, returned = literal(one, _MOST_BRANCHES)
            except _STOPS as error:
                subject.note(error)
                continue
            ran += 1
            theirs, value = _original(subject, original, one)
            found = _difference(subject, (after, returned), (theirs, value))
            if found:
                subject.result = found
                return
            if loops is not None:
                _compare_old(subject, loops, one, (theirs, value))
            break
    subject.result, subject.ran = "equal" if ran else "undefined", ran


def _drawn(view: FunctionView, seed: int) -> Iterator[list[Arguments]]:
    """Draw arguments in each style at each size."""
    rng = seeded(seed)
    try:
        for sizes in choose_sizes(view.parameters, required(view), rng, _SIZES):
            yield [random_arguments(view.parameters, sizes, rng, style) for style in STYLES]
    except (LiftError, ValueError) as error:
        print(view.name, error, file=sys.stderr)


def _sizes(view: FunctionView, arguments: Arguments) -> dict[str, int]:
    return {p.name: int(arguments[p.name]) for p in view.parameters if p.role == "size"}


def _original(subject: Subject, function: Any, arguments: Arguments) -> tuple[Arguments, Any]:
    """Call the compiled function, on memory of its own; the input is known to have a meaning."""
    view = subject.view
    assert view is not None
    sizes, kept, buffers = _sizes(view, arguments), [], {}
    pointers = (ctypes.c_void_p * (2 * len(view.parameters) or 1))()
    listed, lengths = call_arguments(view, 0, sizes)  # behind the arguments, lengths of columns or extents
    for position, item in enumerate(listed[len(view.parameters) :], len(view.parameters)):
        pointers[position] = lengths[item["value"]].ctypes.data
    for position, parameter in enumerate(view.parameters):
        value = np.array(arguments[parameter.name], NUMPY_TYPES[parameter.dtype])
        if parameter.role == "array":
            layout = layout_of(parameter, sizes)
            buffers[parameter.name] = Buffer(value, list(layout.strides), row_pointers=layout.row_pointers)
            pointers[position] = buffers[parameter.name].address
        else:
            kept.append(value)
            pointers[position] = value.ctypes.data
    returned = np.zeros((), NUMPY_TYPES[view.result_dtype] if view.result_dtype else np.dtype("u1"))
    function.restype = None
    function(pointers, ctypes.c_void_p(returned.ctypes.data))
    after = {name: np.ascontiguousarray(buffer.elements).reshape(buffer.shape) for name, buffer in buffers.items()}
    return after, returned[()] if view.result_dtype else None


def _difference(subject: Subject, mine: tuple[Arguments, Any], theirs: tuple[Arguments, Any]) -> str:
    """Say what differs in a bit; NaNs are all the same."""
    pairs = [(name, mine[0][name], array) for name, array in theirs[0].items()]
    if theirs[1] is not None:
        pairs.append(("return", np.asarray(mine[1]), np.asarray(theirs[1])))
    return next((found for name, one, other in pairs if (found := _different(subject, name, one, other))), "")


def _different(subject: Subject, name: str, one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> str:
    """Say what differs in a bit; NaNs are all the same."""
    if one.dtype.itemsize != other.dtype.itemsize:
        return f"{name}: {one.dtype} and {other.dtype}"
    bits = f"u{one.dtype.itemsize}"
    differ = np.asarray(np.ascontiguousarray(one).view(bits) != np.ascontiguousarray(other).view(bits))
    if one.dtype.kind == "f":
        differ &= ~(np.isnan(one) & np.isnan(other))
        if one.dtype == np.float32 and differ.any() and _rounds_twice(subject):
            differ &= ~np.isclose(one, other, rtol=4 * np.finfo(np.float32).eps, atol=1e-12)
    if not differ.any():
        return ""
    return f"{name}: {np.atleast_1d(one)[differ].ravel()[:3]} and {np.atleast_1d(other)[differ].ravel()[:3]}"


def _rounds_twice(subject: Subject) -> bool:
    """Whether the module calls a function of <math.h> on singles, which libm computes in its own way."""
    return any(
        op.name.startswith("math.") and op.name not in _SINGLE_MATH and str(op.results[0].type) == "f32"
        for op in subject.module.module.walk()
    )


def _compare_old(subject: Subject, loops: Interpreter, arguments: Arguments, theirs: tuple[Arguments, Any]) -> None:
    """Compare the interpreter of loop IR with the original, up to rounding."""
    after = copy.deepcopy(arguments)
    try:
        result = loops(after)
    except InterpreterError as error:
        subject.old = f"{type(error).__name__}: {error}"
        return
    pairs = [(name, after[name], array) for name, array in theirs[0].items()]
    if theirs[1] is not None:
        pairs.append(("return", np.asarray(result.value), np.asarray(theirs[1])))
    for name, one, other in pairs:
        complaint = compare(name, other, one, Tolerance()).complaint
        if complaint:
            subject.old = complaint


def _shown(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def main() -> int:
    """Print the figures; the exit status is 1 where literal IR and the compiled original differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="folders and files, the corpora if none is given")
    parser.add_argument("--old", action="store_true", help="compare the interpreter of loop IR too")
    options = parser.parse_args()
    names = options.names
    corpus = read([*files(names or CORPORA), *files(names or CPP_CORPORA, ".cpp")])
    begin = time.perf_counter()
    run(corpus.subjects, old=options.old)
    seconds = time.perf_counter() - begin
    everything = corpus.subjects
    literal = [s for s in everything if s.function.operation is not None]
    outcomes = Counter(s.result if s.result in {"equal", "undefined", ""} else "different" for s in literal)
    print(f"functions           {len(everything):6}   in files that neither reader refuses")
    print(f"read literally      {len(literal):6}")
    print(f"run and equal       {outcomes['equal']:6}   bit by bit")
    print(f"run and different   {outcomes['different']:6}")
    print(f"undefined           {outcomes['undefined']:6}   on every input that was drawn")
    print(f"not run             {outcomes['']:6}   neither the old front end nor the signature tells arguments")
    print(f"drawn by signature  {sum(s.view is None and bool(s.result) for s in literal):6}")
    for name, spent in corpus.seconds.items():
        print(f"reading, {name:10} {spent / max(len(everything), 1) * 1e3:7.2f} ms for each function")
    print(f"running and compiling {seconds:7.1f} s")
    stops = sum((s.stops for s in literal), Counter[str]())
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(stops.items()))
    print(f"inputs that stopped {stops.total():6}   {kinds}")
    refused = Counter(s.function.diagnostics[0].code for s in everything if s.function.operation is None)
    for code, count in refused.most_common():
        print(f"refused {code}: {count}")
    for path, why in corpus.refused.items():
        print(f"{_shown(path)}: {why.splitlines()[0]}")
    for s in everything:
        if s.result not in {"equal", ""}:
            print(f"{_shown(s.path)}: {s.function.name}: {s.result} {s.remark}")
        if s.old:
            print(f"{_shown(s.path)}: {s.function.name}: loop IR differs: {s.old}")
    return int(outcomes["different"] > 0)


if __name__ == "__main__":
    sys.exit(main())
