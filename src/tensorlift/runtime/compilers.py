"""The compilers that originals are measured with, one row each: all at ``-O3 -march=native``.

Drop-in libraries: the functions of a C file, symbol for symbol, some of them around lifted programs.

The text of the file stays as it is, but for functions that were lifted: their definitions get another name, which the
library does not show.  The programs are a file of their own, each with the function that takes the old name and falls
back on the definition.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.runtime.backends import instead
from tensorlift.runtime.original import Build, CompileOptions, language_of_view
from tensorlift.runtime.workers import Limits, run_limited

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ir.function import FunctionView

    Extent = tuple[int, int]  # offsets of a definition's name, and behind its body


OPTIMISED = ("-O3", "-march=native")
# Sums may be reordered, and no one asks for errno or traps; NaN and infinities mean what they mean.
REASSOCIATED = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-fno-math-errno")
_OPENMP = ("-fopenmp",)
_CLANG = ("clang", *(f"clang-{version}" for version in range(30, 13, -1)))
_CLANG_CPP = tuple(name.replace("clang", "clang++") for name in _CLANG)
_NO_HEADER = re.compile(r"No such file or directory|file not found")
_PLAIN = ("-fsyntax-only", "-fdiagnostics-color=never")
_COMPLAINT = re.compile(
    r": (?:(?:fatal )?error|warning): (.*?)(?: \[-W(?:error[=,](?:-W)?)?([^\]]+)\])?$", re.MULTILINE
)
_POLLY = ("-mllvm", "-polly")


@dataclass(frozen=True, slots=True)
class Compiler:
    """One row; an ``optional`` pass is one that not every build of the compiler has."""

    name: str
    build: Build
    optional: bool = False


COMPILERS = (
    Compiler("gcc", Build({"C": ("gcc", "cc"), "C++": ("g++", "c++")}, OPTIMISED)),
    Compiler("clang", Build({"C": _CLANG, "C++": _CLANG_CPP}, OPTIMISED)),
    Compiler("clang-polly", Build({"C": _CLANG, "C++": _CLANG_CPP}, (*OPTIMISED, *_POLLY)), optional=True),
    Compiler("gfortran", Build({"Fortran": ("gfortran",)}, OPTIMISED)),
)


@dataclass(frozen=True, slots=True)
class Project:
    """How a project compiles one of its files: by which compiler, if it is here, with which flags, and where."""

    compiler: str = ""
    flags: tuple[str, ...] = OPTIMISED
    folder: str = ""

    @staticmethod
    def of(file: str, options: CompileOptions, flags: Sequence[str], compiler: str = "", folder: str = "") -> Project:
        """Say that a file is compiled with some flags, and with what the user passes: folders come first, others last.

        Of folders compilers take the first that has a header, of other flags the last that says something.
        """
        include, others = CompileOptions(options.include), replace(options, include=())
        beside = ("-iquote", str(Path(file).resolve().parent))
        return Project(compiler, (*beside, *include.flags(), *flags, *others.flags()), folder)

    def found(self) -> str | None:
        """Find the compiler; where it is not here, another one for C."""
        return next(filter(None, map(shutil.which, (self.compiler, "gcc", "cc"))), None)

    def where(self, otherwise: Path) -> Path:
        """Give the folder that the compiler runs in."""
        return Path(self.folder) if self.folder and Path(self.folder).is_dir() else otherwise


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a compiler says against a file; a warning has an ``option`` by which it is asked for, an error has none."""

    compiler: str
    option: str
    message: str


def lifted_builds(*, by_all: bool) -> dict[str, Build]:
    """Return how programs in C are compiled, by the name of the compiler: by the first that is here, or ``by_all``.

    Raises LiftError TL601 where there is none.
    """
    builds = {c.name: c.build for c in COMPILERS if not c.optional and c.build.compiler("C") is not None}
    if not builds:
        raise refuse("TL601", "there is no C compiler", None, "install gcc or clang")
    chosen = builds if by_all else dict(list(builds.items())[:1])
    flags = (*OPTIMISED, *REASSOCIATED)
    return {n: replace(b, flags=(*flags, *openmp(b.compiler("C")))) for n, b in chosen.items()}


@cache
def openmp(compiler: str | None) -> tuple[str, ...]:
    """Return what makes a compiler run loops on several threads, nothing where it cannot."""
    return _OPENMP if compiler is not None and _compiles([compiler, *_OPENMP]) else ()


def chosen_compilers(names: Sequence[str], view: FunctionView) -> tuple[Compiler, ...]:
    """Return the compilers of a function's language that are asked for; of none, all that are here.

    Raises LiftError TL634 for one that is not known or not here, TL601 where there is none at all.
    """
    language = language_of_view(view)
    known = {compiler.name: compiler for compiler in COMPILERS}
    for name in names:
        if name not in known:
            raise refuse("TL634", f"no compiler '{name}' is known", remedy=instead(name, known))
        if not _is_here(known[name], language):
            wanted = known[name].build.names.get(language)
            if wanted is None:
                rows = ", ".join(c.name for c in COMPILERS if language in c.build.names)
                raise refuse(
                    "TL634", f"the compiler '{name}' does not compile {language}", remedy=f"give one of {rows}"
                )
            what = f"{wanted[0]}, with Polly" if known[name].optional else wanted[0]
            raise refuse("TL634", f"the compiler '{name}' is not installed", remedy=f"install {what}")
    found = [c for c in COMPILERS if (not names or c.name in names) and _is_here(c, language)]
    if not found:
        remedy = "install gfortran" if language == "Fortran" else "install gcc or clang"
        raise refuse("TL601", f"there is no {language} compiler to measure", None, remedy)
    return tuple(found)


def complaints(text: str, project: Project) -> dict[Complaint, None]:
    """List what the compiler of a project, and clang where it is installed, say about a text in the place of its file.

    Nothing of a compiler that lacks a header, so that it has not seen the whole, nor where there is none.
    """
    found: dict[Complaint, None] = {}
    for compiler in dict.fromkeys(filter(None, (project.found(), shutil.which("clang")))):
        with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
            folder = Path(name)
            (folder / "source.c").write_text(text, encoding="utf-8")
            command = [compiler, *project.flags, *_PLAIN, str(folder / "source.c")]
            said = run_limited(command, project.where(folder), Limits())
        if said.returncode is not None and _NO_HEADER.search(said.errors) is None:
            found |= dict.fromkeys(
                Complaint(compiler, one[2] or "", one[1].replace(ORIGINAL, ""))
                for one in _COMPLAINT.finditer(said.errors)
            )
    return found


def _is_here(compiler: Compiler, language: str) -> bool:
    path = compiler.build.compiler(language)
    if path is None or not compiler.optional:
        return path is not None
    return _compiles([path, *compiler.build.flags])


def _compiles(command: Sequence[str]) -> bool:
    """Tell whether a compiler with some flags makes a library."""
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
        folder = Path(name)
        (folder / "empty.c").write_text("int tl_empty;\n", encoding="utf-8")
        made = run_limited([*command, "-shared", "-fPIC", "empty.c", "-o", "empty.so"], folder, Limits())
    return made.failure is None


_SHARED = ("-fPIC", "-w")
_MEANING = ("-fwrapv", "-fno-strict-aliasing")
_BLAS = "#include <cblas.h>"
ORIGINAL = "_original"  # behind the name of a function: as it was
MEANT = (*OPTIMISED, *_MEANING, *REASSOCIATED)  # how programs are compiled
_AT_LINKING = re.compile(r"-f(openmp|sanitize|profile|lto).*|--?coverage|-pg|-pthread|-m(32|64|x32)")


def renamed(
    text: str,
    name: str,
    functions: Sequence[str],
    extents: Mapping[str, Extent],
    stated: Mapping[str, str] | None = None,
) -> str:
    """Return the text of a file with the definitions of some functions under their names for originals.

    Behind each stands what is ``stated`` of it, without which its program is not what the function is.
    """
    source, edits = text.encode(), []
    for function in functions:
        place, end = extents[function]
        original = f"{function}{ORIGINAL}"
        edits += [
            (place, place + len(function.encode()), original.encode()),
            # for those who call it further down
            (end, end, f"\nextern __typeof__({original}) {function};{(stated or {}).get(function, '')}".encode()),
        ]
    for start, end, replacement in sorted(edits, reverse=True):
        source = source[:start] + replacement + source[end:]
    return f"#line 1 {json.dumps(name)}\n{source.decode()}"


def replaced_functions(programs: Mapping[str, str], extents: Mapping[str, Extent]) -> list[str]:
    """List the functions that programs replace: those that may be, and whose program has C's signature."""
    return [name for name, program in programs.items() if name in extents and f"{name}{ORIGINAL}(" in program]


def build_library(
    source: str,
    programs: Sequence[str],
    hidden: Sequence[str],
    project: Project = Project(),
) -> bytes:
    """Compile the text of a file and programs to a library, its bytes, that does not show the ``hidden`` functions.

    The text of the file is compiled as the ``project`` says, programs with flags of their own: integers wrap.

    Raises LiftError: TL601 without a compiler, TL640 where it does not compile, TL641 without OpenBLAS.
    """
    compiler = project.found()
    if compiler is None:
        raise refuse("TL601", "there is no C compiler", None, "install one that is called cc")
    own = project.flags
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
        folder = Path(name)
        (folder / "source.c").write_text(source, encoding="utf-8")
        (folder / "programs.c").write_text("\n".join(programs), encoding="utf-8")
        names = "".join(f" {function};" for function in hidden)
        (folder / "hidden.map").write_text(f"{{ local:{names} }};\n" if names else "{ };\n", encoding="utf-8")
        threads, libraries = openmp(compiler), ["-lopenblas"] * any(map(uses_blas, (source, *programs)))
        meant = [*MEANT, *threads]
        script = [f"-Wl,--version-script={folder / 'hidden.map'}"] if names else []
        linked = [*at_linking(own), "-shared", *script, *threads, *libraries, "-lm"]
        where = project.where(folder)
        objects = [str(folder / name) for name in ("source.o", "programs.o", "library.so")]
        _run([compiler, *own, *_SHARED, "-c", str(folder / "source.c"), "-o", objects[0]], where)
        _run([compiler, *meant, *_SHARED, "-c", str(folder / "programs.c"), "-o", objects[1]], folder)
        _run([compiler, *objects[:2], "-o", objects[2], *linked], where)
        return (folder / "library.so").read_bytes()


def at_linking(flags: Sequence[str]) -> list[str]:
    """Give those of the flags of a file that its library is linked with too."""
    return [*filter(_AT_LINKING.fullmatch, flags)]


def uses_blas(text: str) -> bool:
    """Tell whether a program calls BLAS."""
    return _BLAS in text


def _run(command: Sequence[str], folder: Path) -> None:
    outcome = run_limited(list(command), folder, Limits())
    if outcome.failure:
        raise failure(outcome.errors or outcome.failure, "pass the -I, -D and --std that cc needs")


def failure(errors: str, remedy: str) -> LiftError:
    """Say why a library does not compile, by what a compiler or a linker said."""
    if re.search(
        r"cblas\.h(?:: No such file|' file not found)|(?:cannot|unable to) find (?:library )?-lopenblas", errors
    ):
        return refuse("TL641", "OpenBLAS is not installed", None, "install it: apt install libopenblas-dev")
    first = next((line for line in errors.splitlines() if re.search("[Ee]rror|undefined", line)), errors)
    return refuse("TL640", f"the library does not compile: {first}", None, remedy)
