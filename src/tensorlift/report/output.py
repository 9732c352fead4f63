"""Writing results to files: whole or not at all, and never over the source.

Figures as text: three digits, and seconds with their unit.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence


_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


def seconds_text(seconds: float) -> str:
    """Spell seconds with three digits and a unit."""
    unit, name = next((unit, name) for unit, name in _UNITS if seconds >= unit)
    return f"{three_digits(seconds / (unit or 1e-9))} {name}"


def three_digits(figure: float) -> str:
    """Spell a figure with three digits, or all of those before the point."""
    for digits, bound in ((3, 1.0), (2, 10.0), (1, 100.0)):
        if abs(figure) < bound:
            return f"{figure:.{digits}f}"
    return f"{figure:.0f}"


STDOUT = "-"
_NEW_FILE_MODE = 0o666


def check_outputs(source: str, outputs: Sequence[str]) -> None:
    """Refuse outputs that would overwrite the source or each other, before any work is done."""
    taken = {source: "the source"} if source != STDOUT else {}
    for output in outputs:
        for other, what in taken.items():
            if output == other or _same_file(output, other):
                raise _unwritable(output, f"it is {what}", "give another file name")
        taken[output] = "another output of this command"


def write_output(name: str, text: str) -> None:
    """Write text to a file, or to standard output for ``-``; a failure leaves an old file as it was."""
    if name == STDOUT:
        sys.stdout.write(text)
        return
    write_data(name, text.encode("utf-8", "replace"))


def write_bytes(name: str, data: bytes) -> None:
    """Write bytes to a file, or to standard output for ``-``, as they are."""
    if name == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    write_data(name, data)


def write_data(name: str, data: bytes) -> None:
    """Write bytes to a file; a failure leaves an old file as it was."""
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a pipe or a device is written, never replaced
        else:
            _replace(path.resolve(), data)
    except FileNotFoundError as error:
        raise _unwritable(name, "its directory does not exist", "create the directory first") from error
    except IsADirectoryError as error:
        raise _unwritable(name, "it is a directory", "give a file name") from error
    except OSError as error:
        raise unwritable(f"'{name}'", error) from error


def _replace(path: Path, data: bytes) -> None:
    """Write beside the file and rename: readers see the old file or the new one, never a part."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode(path))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """Give the mode of the file to be replaced, of a new one what the umask leaves."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    umask = os.umask(0)
    os.umask(umask)
    return _NEW_FILE_MODE & ~umask


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def unwritable(place: str, error: OSError) -> LiftError:
    """Build the refusal of a place that the system does not let be written."""
    reason = (error.strerror or str(error)).lower()
    return refuse("TL505", f"cannot write {place}: {reason}", remedy="give a place that can be written")


def _unwritable(name: str, reason: str, remedy: str) -> LiftError:
    return refuse("TL505", f"cannot write '{name}': {reason}", remedy=remedy)
