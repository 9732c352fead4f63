"""Drop-in libraries: the functions of a C file, symbol for symbol, some of them around lifted programs.

The text of the file stays as it is, but for functions that were lifted: their definitions get another name, which the
library does not show.  The programs are a file of their own, each with the function that takes the old name and falls
back on the definition.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.runtime.compilers import REASSOCIATED, openmp
from tensorlift.runtime.workers import Limits, run_limited

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.runtime.original import CompileOptions

    Extent = tuple[int, int, int, int]  # offsets of a definition's start, of its name, of its body, and behind it

OPTIMISED = ("-O3", "-march=native")
_SHARED = ("-fPIC", "-w")
_MEANING = ("-fwrapv", "-fno-strict-aliasing")
_BLAS = "#include <cblas.h>"
ORIGINAL = "_original"  # behind the name of a function: as it was
_NO_SYMBOL = re.compile(r"\b(static|inline|extern)\b")


def renamed(text: str, name: str, functions: Sequence[str], extents: Mapping[str, Extent]) -> str:
    """Return the text of a file with the definitions of some functions under their names for originals."""
    source, edits = text.encode(), []
    for function in functions:
        start, place, body, end = extents[function]
        edits += [
            (place, place + len(function.encode()), f"{function}{ORIGINAL}".encode()),
            (end, end, b"\n" + source[start:body].rstrip() + b";"),  # for those who call it further down
        ]
    for start, end, replacement in sorted(edits, reverse=True):
        source = source[:start] + replacement + source[end:]
    return f"#line 1 {json.dumps(name)}\n{source.decode()}"


def replaced_functions(text: str, programs: Mapping[str, str], extents: Mapping[str, Extent]) -> list[str]:
    """List the functions that programs replace: those that C calls from outside and that have one for C's signature."""
    source = text.encode()
    return [
        function
        for function, program in programs.items()
        if function in extents
        and f"{function}{ORIGINAL}(" in program
        and not _NO_SYMBOL.search(source[slice(*extents[function][:2])].decode())
    ]


def build_library(
    source: str,
    programs: Sequence[str],
    hidden: Sequence[str],
    options: CompileOptions,
    flags: Sequence[str] = OPTIMISED,
) -> bytes:
    """Compile the text of a file and programs to a library, its bytes, that does not show the ``hidden`` functions.

    The ``flags`` are for the text of the file; programs have their own, with which integers wrap.

    Raises LiftError: TL601 without a compiler, TL640 where it does not compile, TL641 without OpenBLAS.
    """
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise refuse("TL601", "there is no C compiler", None, "install one that is called cc")
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
        folder = Path(name)
        (folder / "source.c").write_text(source, encoding="utf-8")
        (folder / "programs.c").write_text("\n".join(programs), encoding="utf-8")
        names = "".join(f" {function};" for function in hidden)
        (folder / "hidden.map").write_text(f"{{ local:{names} }};\n" if names else "{ };\n", encoding="utf-8")
        uses_blas = any(_BLAS in program for program in (source, *programs))
        threads, libraries = openmp(compiler), ["-lopenblas"] * uses_blas
        objects = [
            [*flags, *options.flags(), "source.c", "-o", "source.o"],
            [*OPTIMISED, *_MEANING, *REASSOCIATED, *threads, "programs.c", "-o", "programs.o"],
        ]
        for command in objects:
            _run([compiler, "-c", *_SHARED, *command], folder)
        script = ["-Wl,--version-script=hidden.map"] if names else []
        linked = ["source.o", "programs.o", *script, *threads, *libraries, "-lm"]
        _run([compiler, "-shared", "-o", "library.so", *linked], folder)
        return (folder / "library.so").read_bytes()


def _run(command: Sequence[str], folder: Path) -> None:
    outcome = run_limited(list(command), folder, Limits())
    if outcome.failure:
        raise _failure(outcome.errors or outcome.failure)


def _failure(errors: str) -> LiftError:
    if re.search(r"cblas\.h: No such file|cannot find -lopenblas", errors):
        return refuse("TL641", "OpenBLAS is not here", None, "install it: apt install libopenblas-dev")
    first = next((line for line in errors.splitlines() if "error" in line or "undefined" in line), errors)
    return refuse("TL640", f"the library does not compile: {first}", None, "give -I, -D and --std as cc needs")
