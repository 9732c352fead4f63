"""Source text: where it comes from, its digest, and its lines as compilers count them.

Old C is often not UTF-8: a file that is not is read as Latin-1, which changes no more than comments and strings.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError, refuse

if TYPE_CHECKING:
    from pathlib import Path

STDIN = "-"
FIXED_FORM = (".f", ".for", ".f77")  # suffixes of Fortran in columns, in capitals too
_FREE_FORM = (".f90", ".f95", ".f03", ".f08")
LANGUAGES = {  # with the suffixes of their files, the usual one first; any other file is in C
    "c": (".c",),
    "c++": (".cpp", ".cc", ".cxx", ".hpp"),
    "fortran": tuple(spelled for one in (*_FREE_FORM, *FIXED_FORM) for spelled in (one, one.swapcase())),
    "python": (".py",),
    "mlir": (".mlir",),
}
_LANGUAGE_OF = {suffix: language for language, suffixes in LANGUAGES.items() for suffix in suffixes}
MOST_BYTES = 64 << 20  # of any file that is read
_UNREAD = {
    **dict.fromkeys((".cu", ".cuh"), "CUDA"),
    ".cl": "OpenCL",
}
_BYTECODE = b"ML\xefR"
_LINE_END = re.compile(r"\r\n|\r|\n")  # what C compilers take for one; `str.splitlines` takes more


@dataclass(frozen=True)
class Source:
    """One source text; ``name`` is the file as the user gave it, ``sha256`` the digest of its bytes."""

    name: str
    text: str
    sha256: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; line 1 is the first."""
        return _LINE_END.split(self.text)

    def encoded(self, text: str) -> bytes:
        """Encode another text as the source itself is."""
        encodings = (
            e for e in ("utf-8", "utf-8-sig", "latin-1") if _digest(self.text.encode(e, "replace")) == self.sha256
        )
        return text.encode(next(encodings, "utf-8"))


def source_from_text(text: str, name: str = "<string>") -> Source:
    """Make a source of text that is already in memory."""
    return Source(name, text, _digest(text.encode("utf-8", "surrogatepass")))


def read_source(name: str, language: str | None = None) -> Source:
    """Read a source file, whose name tells its language, or standard input for ``-``, in one of the `LANGUAGES`.

    Refuses what is missing, unreadable, too large or no text, and languages that C is easily taken for.
    """
    if unread := _UNREAD.get(PurePath(name).suffix.lower()):
        raise refuse("TL504", f"'{name}' is {unread}, which is not read", remedy="give C, C++, Fortran, Python or MLIR")
    data = sys.stdin.buffer.read(MOST_BYTES + 1) if name == STDIN else _read_bytes(name)
    if len(data) > MOST_BYTES:
        raise _unreadable(name, f"it has more than {MOST_BYTES} bytes", "give a smaller file")
    if data.startswith(_BYTECODE):
        remedy = f"make text of it: mlir-opt {name} -o {PurePath(name).stem or 'module'}.mlir"
        raise refuse("TL504", f"'{name}' is bytecode of MLIR, which is not read", remedy=remedy)
    if b"\0" in data:
        remedy = "give text, encoded as UTF-8"
        raise refuse("TL504", f"'{name}' is not a text file: it holds a NUL byte", remedy=remedy)
    suffix = LANGUAGES[language][0] if language not in {None, "c"} else ""
    return Source(f"<stdin>{suffix}" if name == STDIN else name, _decode(data), _digest(data))


def language_of(name: str) -> str:
    """Tell by the name of a file which of the `LANGUAGES` it is in."""
    return _LANGUAGE_OF.get(PurePath(name).suffix, "c")


def bounded_bytes(name: str | Path) -> bytes:
    """Read a regular file up to a byte more than is taken; raises OSError.

    A device or a pipe may never end, and to open one may wait for ever: what it is is asked without waiting.
    """
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "it is a directory", str(name))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(name))
        return file.read(MOST_BYTES + 1)


def looks_like_text(path_or_text: str) -> bool:
    """Tell source text from a path: text holds a newline or a brace."""
    return "\n" in path_or_text or "{" in path_or_text


def _read_bytes(name: str) -> bytes:
    try:
        return bounded_bytes(name)
    except FileNotFoundError as error:
        raise _unreadable(name, "there is no such file", "check the path; '-' reads standard input") from error
    except IsADirectoryError as error:
        raise _unreadable(name, "it is a directory", "give one source file") from error
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise _unreadable(name, "it is no regular file", "give a regular file; '-' reads standard input") from error
        raise _unreadable(name, (error.strerror or str(error)).lower(), "give a file that can be read") from error
    except ValueError as error:
        raise _unreadable(name, "its name holds a NUL", "check the path") from error


def _unreadable(name: str, reason: str, remedy: str) -> LiftError:
    return refuse("TL501", f"cannot read '{name}': {reason}", remedy=remedy)


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
