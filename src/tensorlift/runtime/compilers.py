"""The compilers that originals are measured with, one row each: all at ``-O3 -march=native``."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.runtime.backends import instead
from tensorlift.runtime.original import Build
from tensorlift.runtime.workers import Limits, run_limited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ir.function import FunctionView
    from tensorlift.runtime.original import CompileOptions

OPTIMISED = ("-O3", "-march=native")
# Sums may be reordered, and no one asks for errno or traps; NaN and infinities mean what they mean.
REASSOCIATED = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-fno-math-errno")
_OPENMP = ("-fopenmp",)
_CLANG = ("clang", *(f"clang-{version}" for version in range(30, 13, -1)))
_CLANG_CPP = tuple(name.replace("clang", "clang++") for name in _CLANG)
_NO_HEADER = re.compile(r"No such file or directory|file not found")
_POLLY = ("-mllvm", "-polly")


@dataclass(frozen=True, slots=True)
class Compiler:
    """One row; an ``optional`` pass is one that not every build of the compiler has."""

    name: str
    build: Build
    optional: bool = False


COMPILERS = (
    Compiler("gcc", Build(("gcc", "cc"), ("g++", "c++"), OPTIMISED)),
    Compiler("clang", Build(_CLANG, _CLANG_CPP, OPTIMISED)),
    Compiler("clang-polly", Build(_CLANG, _CLANG_CPP, (*OPTIMISED, *_POLLY)), optional=True),
)


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
    language = "C++" if view.prototype else "C"
    known = {compiler.name: compiler for compiler in COMPILERS}
    for name in names:
        if name not in known:
            raise refuse("TL634", f"no compiler '{name}' is known", remedy=instead(name, known))
        if not _is_here(known[name], language):
            wanted = (known[name].build.c if language == "C" else known[name].build.cpp)[0]
            what = f"{wanted}, with Polly" if known[name].optional else wanted
            raise refuse("TL634", f"the compiler '{name}' is not installed", remedy=f"install {what}")
    found = [c for c in COMPILERS if (not names or c.name in names) and _is_here(c, language)]
    if not found:
        raise refuse("TL601", f"there is no {language} compiler to measure", None, "install gcc or clang")
    return tuple(found)


def complaint(text: str, filename: str, options: CompileOptions) -> str:
    """Give the first error of the C compiler that is here about a text in the place of a file.

    Nothing without a compiler, or where it lacks a header, so that it has not seen the whole.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        return ""
    beside = ["-iquote", str(Path(filename).resolve().parent)]
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
        folder = Path(name)
        (folder / "source.c").write_text(text, encoding="utf-8")
        flags = ["-fsyntax-only", "-w", *openmp(compiler), *options.flags(), *beside]
        said = run_limited([compiler, *flags, "source.c"], folder, Limits())
    errors = [line.partition("error: ")[2] for line in said.errors.splitlines() if "error: " in line]
    return errors[0] if said.failure and errors and _NO_HEADER.search(said.errors) is None else ""


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
