"""Compiles many random C functions into one library, and calls them in a process of its own.

Undefined behaviour that the compiler's sanitizer sees ends a call, not the process: the trap jumps back, and the call
gives no results.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.random_types.c_programs import C_TYPES
from tensorlift.ir.memory import NUMPY_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.random_types.types import Program

    Array = np.ndarray[Any, np.dtype[Any]]
    Arguments = Mapping[str, Any]
    Results = dict[str, Array] | None  # None where the behaviour is undefined; the returned value under ""

_CHECKS = "-fsanitize=undefined,float-cast-overflow"
_FLAGS = ("-O0", _CHECKS, "-fsanitize-undefined-trap-on-error", "-ffp-contract=off", "-fno-strict-aliasing", "-w")
# GCC folds `a - b < a` before it looks for overflow.
_COMPILER = "clang" if shutil.which("clang") else "cc"
_LIMIT = 60  # seconds for the calls of one program
_HEAD = """\
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf tl_back;
static void tl_trapped(int signal) { siglongjmp(tl_back, signal); }
int tl_guarded(void (*call)(void **), void **p) {
  signal(SIGILL, tl_trapped);
  signal(SIGTRAP, tl_trapped);
  if (sigsetjmp(tl_back, 1)) return 1;
  call(p);
  return 0;
}
"""


class Batch:
    """Random C functions that were compiled together; their library is removed with the batch."""

    def __init__(self, programs: Sequence[Program]) -> None:
        """Compile; raises CalledProcessError where the compiler does not take a program."""
        self._folder = tempfile.TemporaryDirectory(prefix="tensorlift-")
        folder = Path(self._folder.name)
        (folder / "all.c").write_text(_HEAD + "".join(map(_callable, programs)), encoding="utf-8")
        command = [_COMPILER, *_FLAGS, "-shared", "-fPIC", "all.c", "-o", "all.so", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        self._path = str(folder / "all.so")

    def call(self, program: Program, cases: Sequence[Arguments]) -> list[Results]:
        """Call a function for each case, in a process of its own; the arguments are not changed."""
        context = get_context("fork")
        here, there = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(self._path, program, cases, there))
        worker.start()
        there.close()
        try:
            results: list[Results] = here.recv() if here.poll(_LIMIT) else []
        except EOFError:
            results = []
        worker.join(1)
        if worker.is_alive():
            worker.kill()
        return results or [None] * len(cases)


def _callable(program: Program) -> str:
    """Write a function with another one around it that takes pointers to its arguments."""
    arguments = [
        f"p[{k}]" if one.shape else f"*({C_TYPES[one.dtype]} *)p[{k}]" for k, one in enumerate(program.parameters)
    ]
    called = f"{program.entry}({', '.join(arguments)});"
    if program.result:
        called = f"*({C_TYPES[program.result]} *)p[{len(arguments)}] = {called}"
    return f"{program.text}void call_{program.entry}(void **p) {{ {called} }}\n"


def _work(path: str, program: Program, cases: Sequence[Arguments], reply: Any) -> None:
    library = ctypes.CDLL(path)
    function = getattr(library, f"call_{program.entry}")
    reply.send([_called(library, function, program, case) for case in cases])


def _called(library: Any, function: Any, program: Program, case: Arguments) -> Results:
    held = {one.name: np.array(case[one.name], NUMPY_TYPES[one.dtype]) for one in program.parameters}
    returned = np.zeros((), NUMPY_TYPES[program.result or "i32"])
    pointers = (ctypes.c_void_p * (len(held) + 1))(*(a.ctypes.data for a in held.values()), returned.ctypes.data)
    if library.tl_guarded(function, pointers):
        return None
    after = {one.name: held[one.name] for one in program.parameters if one.shape}
    return {**after, **({"": returned} if program.result else {})}
