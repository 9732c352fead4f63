"""Compiles a C or C++ original and calls one of its functions over flat memory, in limited subprocesses.

The source is included by a small second file, so that static functions can be called too (``call_file``), and so that
vectors are made of flat memory (``cpp_call_file``).

Calls a function of a Python original on arrays, in a limited subprocess.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.function import complex_parameters, fortran_of
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.runtime.call_file import call_file, container_ranks, cpp_call_file
from tensorlift.runtime.cases import Called
from tensorlift.runtime.fortran_call import CLOCK, fortran_call_files, stubs
from tensorlift.runtime.layout import Layout, layout_of
from tensorlift.runtime.workers import Limits, WorkerError, run_limited, run_worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.ir.function import FunctionView, Parameter
    from tensorlift.runtime.compare import Array

    Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """What the user passes to the C compiler; a definition is ``NAME`` or ``NAME=value``."""

    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    standard: str = ""
    include_files: tuple[str, ...] = ()
    linked: tuple[tuple[str, CompileOptions], ...] = ()  # other files, each with its own

    @staticmethod
    def of(given: Any, linked: Iterable[Any] = ()) -> CompileOptions:
        """Take them from what has include_dirs, defines, std, and include_files, as do the other files."""
        others = tuple((file.name, CompileOptions.of(file)) for file in linked)
        return CompileOptions(given.include_dirs, given.defines, given.std or "", given.include_files, others)

    def flags(self) -> list[str]:
        """Spell them for cc; folders are made absolute, since cc runs elsewhere."""
        include = [f"-I{Path(folder).resolve()}" for folder in self.include]
        include += [part for name in self.include_files for part in ("-include", str(Path(name).resolve()))]
        return [*include, *(f"-D{name}" for name in self.define), *([f"-std={self.standard}"] if self.standard else [])]


@dataclass(frozen=True, slots=True)
class Original:
    """A C file as text, under the name that it was read from, and how to compile it."""

    text: str
    filename: str
    options: CompileOptions = CompileOptions()


@dataclass(frozen=True, slots=True)
class Build:
    """How an original is compiled: the names that the compiler of each language may have, and its flags."""

    names: Mapping[str, tuple[str, ...]]
    flags: tuple[str, ...]

    def compiler(self, language: str) -> str | None:
        """Find the compiler of ``C``, ``C++`` or ``Fortran``; None where it is not here, or the row has none."""
        return next(filter(None, map(shutil.which, self.names.get(language, ()))), None)


def language_of_view(view: FunctionView) -> str:
    """Say in which language an original is compiled."""
    return "C++" if view.prototype else "Fortran" if fortran_of(view) else "C"


# Signed overflow wraps and objects may be punned, as the loop IR means C; undefined functions are errors of the linker;
# a name that the C library defines too, such as `index`, is that of the source; assertions are taken to hold.
_MEANING = ("-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-DNDEBUG")
_WHOLE = "-fwhole-program"
_ROUNDED = "-fexcess-precision=16"  # each operation on `_Float16`, as the loop IR means C
CHECKED = Build({"C": ("cc",), "C++": ("c++", "g++", "clang++"), "Fortran": ("gfortran",)}, ("-O1", _WHOLE, *_MEANING))
_FLAGS = ("-shared", "-fPIC", "-w", "-Wl,-z,defs", "-Wl,-Bsymbolic")
_CPP_FLAGS = ("-fno-access-control",)  # members of objects are set as they are
_CPP_STANDARD = "-std=c++17"
_PARTS = 2  # of a complex number
_CHECKED_FORTRAN = ("-O0", "-fcheck=bounds")
_UNCHECKED = replace(CHECKED, flags=("-O0",))
_BEYOND = "Fortran runtime error: Index"
_FORTRAN_FLAGS = ("-shared", "-fPIC", "-w", "-ffp-contract=off", "-ffree-line-length-none", "-Wl,-z,defs")
_OPTIMISING = ("-O", "-march")
DEFAULT_REAL_8 = "default-real-8"  # in --std: reals that state no kind have eight bytes


def run_original(
    original: Original, view: FunctionView, cases: Sequence[Arguments], limits: Limits, build: Build = CHECKED
) -> list[Called]:
    """Compile a C file and call the function of ``view`` in it once for each case.

    A case gives every parameter by source name, arrays in logical shape; they are not changed.
    Raises LiftError: TL601 no compiler, TL602 it does not compile, TL603 it cannot be called, TL604 it crashed or ran
    out of time, TL605 it wrote outside of the extents.
    """
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
        library = compile_original(original, view, Path(name), limits, build)
        request, arrays = _request(view, cases, library)
        try:
            facts, results = run_worker("original_worker", request, arrays, limits)
        except WorkerError as error:
            if build is CHECKED and _BEYOND in str(error):  # as `call f(n - 1, x(2))` has it for one element
                return run_original(original, view, cases, limits, _UNCHECKED)
            remedy = "run it under a debugger at small sizes"
            raise refuse("TL604", f"calling the original failed: {error}", view.location, remedy) from None
    for key in facts["outside"]:
        number, _, array = key.partition(":")
        message = f"the original writes outside of the extents of {array} at {_sizes(view, cases[int(number)])}"
        raise refuse("TL605", message, view.location, "correct the extents")
    return [_called(view, results, number) for number in range(len(cases))]


_VISIBLE = "__attribute__((externally_visible))"
_MISSING = re.compile(r"undefined reference to [`'](\w+)'")


def compile_original(
    original: Original, view: FunctionView, folder: Path, limits: Limits, build: Build = CHECKED
) -> Path:
    """Compile a C file to a library in ``folder`` that has ``tl_call``; raises LiftError TL601 to TL603."""
    if fortran_of(view):
        return _compiled_fortran(original, view, folder, limits, build)
    compiler = _compiler(view, build)
    home = Path(original.filename).resolve()
    included = "tl_source_" + home.name
    (folder / included).write_text(f"#line 1 {json.dumps(home.name)}\n{original.text}", encoding="utf-8")
    called = "tl_call.cpp" if view.prototype else "tl_call.c"
    text = cpp_call_file(included, view) if view.prototype else call_file(included, view)
    (folder / called).write_text(text, encoding="utf-8")
    cpp = [*_CPP_FLAGS, _CPP_STANDARD] if view.prototype else []
    beside = [f"-I{home.parent}"] if home.exists() else []
    libraries = ["-lopenblas", "-lm"] if "<cblas.h>" in original.text else ["-lm"]
    own = [flag for flag in build.flags if flag != _WHOLE or not original.options.linked]
    own += [_ROUNDED] * (build is CHECKED and _has_halves(original, view))
    flags = [*own, *_FLAGS, *cpp, *original.options.flags(), *beside]
    objects = [_compiled(compiler, own, *other, folder, limits) for other in original.options.linked]
    command = [compiler, *flags, "-o", "tl_call.so", called, *objects, *libraries]
    outcome = run_limited(command, folder, limits)
    missing = sorted(set(_MISSING.findall(outcome.errors)))
    if missing and view.name not in missing and not view.prototype:  # what tells of errors, or what others call
        ending = "".join(f"{_VISIBLE} void {name}(void) {{ __builtin_trap(); }}\n" for name in missing)
        (folder / "tl_missing.c").write_text(ending, encoding="utf-8")
        outcome = run_limited([*command, "tl_missing.c"], folder, limits)
    if outcome.failure:
        first = next(
            (line for line in outcome.errors.splitlines() if "error" in line or "undefined" in line), outcome.failure
        )
        raise refuse(
            "TL602", f"the original does not compile: {first}", view.location, "pass the -I, -D and --std that cc needs"
        )
    return folder / "tl_call.so"


def _has_halves(original: Original, view: FunctionView) -> bool:
    return "_Float16" in original.text or any(parameter.dtype == "f16" for parameter in view.parameters)


def _compiled_fortran(original: Original, view: FunctionView, folder: Path, limits: Limits, build: Build) -> Path:
    """Compile a Fortran file, and one beside that calls the procedure."""
    compiler = _compiler(view, build)
    source = f"tl_source{Path(original.filename).suffix}"
    files = fortran_call_files(view, original.text)
    (folder / "tl_clock.f90").write_text(CLOCK, encoding="utf-8")
    (folder / source).write_text(files.source, encoding="utf-8")
    (folder / "tl_call.f90").write_text(files.beside, encoding="utf-8")
    others = [f"tl_other{k}{Path(name).suffix}" for k, (name, _) in enumerate(files.others)]
    for other, (_, text) in zip(others, files.others, strict=True):
        (folder / other).write_text(text, encoding="utf-8")
    own = _CHECKED_FORTRAN if build is CHECKED else tuple(flag for flag in build.flags if flag.startswith(_OPTIMISING))
    texts = original.text, *(text for _, text in files.others)
    options = replace(original.options, standard="")
    own = (*own, *options.flags(), f"-I{Path(original.filename).resolve().parent}")
    if any(line.startswith("#") for text in texts for line in text.splitlines()):
        own = (*own, "-cpp")
    if DEFAULT_REAL_8 in original.options.standard:
        own = (*own, "-fdefault-real-8", "-fdefault-double-8")
    others += [_compiled("cc", _MEANING, *other, folder, limits) for other in original.options.linked]
    command = [compiler, *own, *_FORTRAN_FLAGS, "-o", "tl_call.so", "tl_clock.f90", *others, source, "tl_call.f90"]
    command += ["-lopenblas"] * bool(original.options.linked)
    outcome = run_limited(command, folder, limits)
    missing = sorted(set(_MISSING.findall(outcome.errors)))
    if missing:
        (folder / "tl_missing.f90").write_text(stubs(missing), encoding="utf-8")
        outcome = run_limited([*command, "tl_missing.f90"], folder, limits)
    if outcome.failure:
        first = next((line for line in outcome.errors.splitlines() if "Error" in line), outcome.failure)
        remedy = "give a file that gfortran compiles by itself"
        raise refuse("TL602", f"the original does not compile: {first}", view.location, remedy)
    return folder / "tl_call.so"


def _compiled(  # noqa: PLR0913, PLR0917 - by which compiler, what, and where
    compiler: str, flags: Sequence[str], file: str, options: CompileOptions, folder: Path, limits: Limits
) -> str:
    """Compile another file of the project to an object."""
    home = Path(file).resolve()
    made = f"tl_{'_'.join(home.parts[1:])}.o"
    own = [*flags, "-fPIC", "-w", *options.flags(), f"-I{home.parent}"]
    run_limited([compiler, *own, "-c", str(home), "-o", made], folder, limits)
    return made


def _compiler(view: FunctionView, build: Build) -> str:
    """Find the compiler of the function's language."""
    language = language_of_view(view)
    found = build.compiler(language)
    if found is None:
        name = build.names[language][0]
        raise refuse("TL601", f"there is no {language} compiler", None, f"install one that is called {name}")
    return found


def _request(view: FunctionView, cases: Sequence[Arguments], library: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """Spell the cases for the worker."""
    arrays: dict[str, Array] = {}
    listed = []
    for number, case in enumerate(cases):
        arguments, lengths = call_arguments(view, number, _sizes(view, case))
        listed.append(arguments)
        arrays |= lengths
        for parameter in view.parameters:
            arrays[f"{number}:{parameter.name}"] = np.asarray(case[parameter.name], NUMPY_TYPES[parameter.dtype])
    result = NUMPY_TYPES[view.result_dtype].name if view.result_dtype else ""
    return {"library": str(library), "cases": listed, "result": result}, arrays


def call_arguments(
    view: FunctionView, number: int, sizes: Mapping[str, int]
) -> tuple[list[dict[str, Any]], dict[str, Array]]:
    """Spell the arguments of one case for the worker; the arrays are those that only the call needs.

    Raises LiftError TL603 where the extents are not known.
    """
    lengths: dict[str, Array] = {}
    arguments = [_argument(view, parameter, number, sizes) for parameter in view.parameters]
    return [*arguments, *_lengths(view, number, sizes, lengths)], lengths


def _lengths(
    view: FunctionView, number: int, sizes: Mapping[str, int], arrays: dict[str, Array]
) -> list[dict[str, Any]]:
    """Pass the length of each array of or in structures behind the arguments, if any; for C++ all extents."""
    if view.prototype or fortran_of(view):
        return _extents(view, number, sizes, arrays)
    if not any(_is_counted(p) for p in view.parameters):
        return []
    for parameter in view.parameters:
        length = _records(parameter, _layout(parameter, sizes)) if _is_counted(parameter) else 0
        arrays[f"{number}:{parameter.name}:length"] = np.asarray(length, np.int64)
    return [{"value": f"{number}:{parameter.name}:length"} for parameter in view.parameters]


def _is_counted(parameter: Parameter) -> bool:
    return parameter.role == "array" and (parameter.is_column or parameter.lies_inside or parameter.is_returned)


def _records(parameter: Parameter, layout: Layout) -> int:
    """Count the structures of an array of them; numbers may be taken to have more dimensions than one."""
    return layout.shape[0] if parameter.is_column and "[" in parameter.c_type else layout.span


def _extents(
    view: FunctionView, number: int, sizes: Mapping[str, int], arrays: dict[str, Array]
) -> list[dict[str, Any]]:
    """Pass the extents of each container: a vector that is seen as a matrix is as long as that is wide."""
    ranks = container_ranks(view) if view.prototype else {}
    for parameter in view.parameters:
        passed: list[int] = []
        if fortran_of(view) and parameter.role == "array":
            layout, parts = _layout(parameter, sizes), _parts(view, parameter)
            shape = layout.shape[: len(layout.shape) - (parts > 1)][:: -1 if fortran_of(view)["by_columns"] else 1]
            passed = [layout.span // parts] if parameter.name in fortran_of(view)["flat"] else [*shape]
        if parameter.name in ranks:
            layout, last = _layout(parameter, sizes), ranks[parameter.name] - 1
            passed = [*layout.shape[:last], prod(layout.shape[last:]) if last else layout.span]
        arrays[f"{number}:{parameter.name}:extents"] = np.asarray(passed, np.int64)
    return [{"value": f"{number}:{parameter.name}:extents"} for parameter in view.parameters]


def _is_by_columns(view: FunctionView, parameter: Parameter) -> bool:
    """Whether the first extent of an array is the innermost, as those of Fortran are as it writes them.

    One that is read as flat memory, or with its axes in the other order, lies by rows.
    """
    facts = fortran_of(view)
    return bool(facts) and parameter.name not in facts["flat"] and not facts["by_columns"]


def _parts(view: FunctionView, parameter: Parameter) -> int:
    """Count the numbers side by side that are one element of Fortran: the parts of a complex number."""
    return _PARTS if parameter.name in fortran_of(view)["complex"] else 1


def _argument(view: FunctionView, parameter: Parameter, number: int, sizes: Mapping[str, int]) -> dict[str, Any]:
    key = f"{number}:{parameter.name}"
    if parameter.role != "array":
        return {"value": key}
    layout = _layout(parameter, sizes)
    strides = [*layout.strides]
    if _is_by_columns(view, parameter):
        parts = _parts(view, parameter)
        shape = layout.shape[: len(layout.shape) - (parts > 1)]
        strides = [parts * prod(shape[:axis]) for axis in range(len(shape))] + [1] * (parts > 1)
    return {"array": key, "strides": strides, "row_pointers": layout.row_pointers}


def _layout(parameter: Parameter, sizes: Mapping[str, int]) -> Layout:
    try:
        return layout_of(parameter, sizes)
    except (ValueError, SyntaxError) as error:
        raise _uncallable(parameter, str(error)) from None


def _uncallable(parameter: Parameter, reason: str) -> LiftError:
    return refuse("TL603", f"the original cannot be called: {reason}", parameter.location, "state the extents")


def _sizes(view: FunctionView, case: Arguments) -> dict[str, int]:
    return {parameter.name: int(case[parameter.name]) for parameter in view.parameters if parameter.role == "size"}


def _called(view: FunctionView, results: Mapping[str, Array], number: int) -> Called:
    arrays = {p.name: results[f"{number}:{p.name}"] for p in view.parameters if p.role == "array"}
    return Called(arrays, results[f"{number}:"] if view.result_dtype else None)


SUFFIX = ".py"
_LIST = re.compile(r"^['\"]?(?:\w+\.)*(?:list|List|Sequence)\b")


def run_python_original(
    original: Original, view: FunctionView, cases: Sequence[Arguments], limits: Limits
) -> list[Called | None]:
    """Run a Python file and call the function of ``view`` in it once for each case.

    A case gives every parameter by source name, arrays in logical shape; they are not changed.  What the function
    returns goes where ``tl.returns`` of the loop IR says.  A case in which it divides by zero or the like gives None.
    Raises LiftError: TL604 it raised, in every case if because of such numbers, crashed or ran out of time.
    """
    arrays = {
        f"{number}:{parameter.name}": np.asarray(case[parameter.name], NUMPY_TYPES[parameter.dtype])
        for number, case in enumerate(cases)
        for parameter in view.parameters
    }
    facts = {**python_facts(original, view), "cases": len(cases)}
    try:
        reply, results = run_worker("python_original_worker", facts, arrays, limits)
    except WorkerError as error:
        raise _failed(str(error), view) from None
    raised: dict[str, str] = reply["raised"]
    if len(raised) == len(cases):
        raise _failed(raised["0"], view)
    return [None if str(number) in raised else _called(view, results, number) for number in range(len(cases))]


def _failed(reason: str, view: FunctionView) -> LiftError:
    remedy = "run it with small arrays of the shapes that the preconditions ask for"
    return refuse("TL604", f"calling the original failed: {reason}", view.location, remedy)


def python_facts(original: Original, view: FunctionView) -> dict[str, Any]:
    """Say for the worker what is called, and how."""
    return {
        "source": original.text,
        "function": view.name,
        "parameters": _described(original.text, view),
        "returns": [name for name, _ in view.returns],
        "split": complex_parameters(view).get("return", ()),
        "result": NUMPY_TYPES[view.result_dtype].name if view.result_dtype else "",
    }


def _described(source: str, view: FunctionView) -> list[dict[str, Any]]:
    """Describe the parameters of the Python function, in its order."""
    *_, function = (n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == view.name)
    known = {parameter.name: parameter for parameter in view.parameters}
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    split = complex_parameters(view)
    return [
        _describe(argument, known.get(argument.arg)) | ({"parts": split[argument.arg]} if argument.arg in split else {})
        for argument in arguments
    ]


def _describe(argument: ast.arg, parameter: Parameter | None) -> dict[str, Any]:
    annotation = "" if argument.annotation is None else ast.unparse(argument.annotation)
    is_list = bool(_LIST.match(annotation))
    return {"name": argument.arg, "array": parameter is not None and parameter.role == "array", "list": is_list}
