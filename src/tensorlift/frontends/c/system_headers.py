"""Where the compiler that is here searches for headers, asked of it once in a process."""

from __future__ import annotations

import os
import re
import shutil
from functools import cache

_COMPILERS = {"c": ("cc", "gcc", "clang"), "c++": ("c++", "g++", "clang++")}
_SEARCHED = re.compile(r"^#include <\.\.\.> search starts here:\n(.*?)^End of search list", re.MULTILINE | re.DOTALL)
_SECONDS = 10


@cache
def system_directories(language: str) -> tuple[str, ...]:
    """List the directories for ``c`` or ``c++``, in the compiler's order; none where there is no compiler."""
    import subprocess  # noqa: PLC0415 - takes milliseconds, and most sources find all headers

    compiler = next(filter(None, map(shutil.which, _COMPILERS[language])), None)
    if compiler is None:
        return ()
    command = [compiler, "-E", "-v", "-x", language, os.devnull]
    try:
        told = subprocess.run(  # noqa: S603 - the command is a list made here, no shell reads it
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = _SEARCHED.search(told.stderr)
    return tuple(line.strip().removesuffix(" (framework directory)") for line in found[1].splitlines()) if found else ()
