"""Fortran files with programs in C beside them: what compilers say of them, and libraries that are made of both."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.runtime.compilers import (
    MEANT,
    at_linking,
    failure,
    openmp,
    uses_blas,
)
from tensorlift.runtime.workers import Limits, run_limited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.runtime.compilers import Project

_PLAIN = ("-fsyntax-only", "-fdiagnostics-color=never", "-fno-diagnostics-show-caret")
_QUIET = ("-fPIC", "-w")
_SAID = re.compile(r"^(?:Fatal )?(?:Error|Warning): (.*)$", re.MULTILINE)
_NO_MODULE = re.compile(
    r"Cannot open (?:module|included) file|Can't open included file|cannot read module file", re.IGNORECASE
)
_MODULES = re.compile(r"-J.*")


def fortran_compiler(project: Project) -> str | None:
    """Find the compiler of a project; where it is not here, gfortran."""
    named = project.compiler if "gfortran" in PurePath(project.compiler).name else ""
    return next(filter(None, map(shutil.which, filter(None, (named, "gfortran")))), None)


def fortran_complaints(text: str, name: str, project: Project) -> Counter[str] | None:
    """Count what the compiler says of a text in the place of its file; None where it cannot tell, or is not here."""
    compiler = fortran_compiler(project)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as place:
        folder = Path(place)
        file = folder / f"source{PurePath(name).suffix}"
        file.write_text(text, encoding="utf-8")
        command = [compiler, *_own(project, folder), *_preprocessed(text), *_PLAIN, str(file)]
        said = run_limited(command, project.where(folder), Limits())
    if said.returncode is None or _NO_MODULE.search(said.errors):
        return None
    return Counter(_SAID.findall(said.errors))


def error_in_c(text: str) -> str:
    """Say why programs do not compile; nothing where they do, or there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return ""
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as place:
        folder = Path(place)
        (folder / "programs.c").write_text(text, encoding="utf-8")
        outcome = run_limited([compiler, "-fsyntax-only", "-w", "programs.c"], folder, Limits())
    if not outcome.failure:
        return ""
    return next((line.strip() for line in outcome.errors.splitlines() if "error" in line), outcome.failure)


def build_fortran_library(text: str, c: str, name: str, hidden: Sequence[str], project: Project) -> bytes:
    """Compile a file and the programs beside it to a library, its bytes, that does not show the ``hidden`` functions.

    Raises LiftError: TL601 without a compiler, TL640 where it does not compile, TL641 without OpenBLAS.
    """
    compiler, cc = fortran_compiler(project), shutil.which("cc")
    if compiler is None:
        raise refuse("TL601", "there is no Fortran compiler", None, "install gfortran")
    if c and cc is None:
        raise refuse("TL601", "there is no C compiler", None, "install one that is called cc")
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as place:
        folder = Path(place)
        source, programs = folder / f"source{PurePath(name).suffix}", folder / "programs.c"
        source.write_text(text, encoding="utf-8")
        programs.write_text(c, encoding="utf-8")
        (folder / "hidden.map").write_text(f"{{ local:{''.join(f' {one};' for one in hidden)} }};\n", encoding="utf-8")
        where = project.where(folder)
        objects = [str(folder / "source.o")]
        own = _own(project, folder)
        _run([compiler, *own, *_preprocessed(text), *_QUIET, "-c", str(source), "-o", objects[0]], where)
        threads: Sequence[str] = ()
        if c:
            threads = openmp(cc)
            objects.append(str(folder / "programs.o"))
            _run([str(cc), *MEANT, *threads, *_QUIET, "-c", str(programs), "-o", objects[1]], folder)
        script = [f"-Wl,--version-script={folder / 'hidden.map'}"] if hidden else []
        libraries = ["-lopenblas"] * uses_blas(c)
        library = str(folder / "library.so")
        linked = [*at_linking(own), "-shared", *script, *threads, *libraries, "-lm"]
        _run([compiler, *objects, "-o", library, *linked], where)
        return (folder / "library.so").read_bytes()


def _own(project: Project, folder: Path) -> list[str]:
    """Give the flags of a project, but that modules are written to a folder of its own, and found beside the file."""
    kept: list[str] = []
    flags = iter(project.flags)
    for flag in flags:
        if _MODULES.fullmatch(flag) or flag == "-iquote":
            kept.append(f"-I{flag.removeprefix('-J').removeprefix('-iquote') or next(flags, '.')}")
        else:
            kept.append(flag)
    return [*kept, f"-J{folder}"]


def _preprocessed(text: str) -> list[str]:
    """Ask for the preprocessor where a file has lines for it."""
    return ["-cpp"] * any(line.lstrip().startswith("#") for line in text.splitlines())


def _run(command: Sequence[str], folder: Path) -> None:
    outcome = run_limited(list(command), folder, Limits())
    if outcome.failure:
        raise failure(outcome.errors or outcome.failure, "pass the flags that gfortran needs with --cflags")
