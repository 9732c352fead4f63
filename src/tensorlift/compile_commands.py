"""The flags that a build gives the compiler for one file, read from its ``compile_commands.json``."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse
from tensorlift.source import bounded_bytes, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter")
_BEFORE = ("ccache", "sccache", "distcc", "icecc")  # what runs a compiler
_OUTPUTS = re.compile(r"-(?:[cSE]|o.*|M.*|Wp,-M.*|save-temps.*|pie|-)")  # what says which files a compiler writes
_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ", "-MJ")
_MACHINE = re.compile(r"-m(?:16|32|64|x32|abi=.*)|-f(?:no-)?(?:(?:un)?signed-char|short-(?:enums|wchar)|pack-struct.*)")
_AS_READ = re.compile(r"-m64|-fsigned-char|-fno-(?:unsigned-char|short-enums|short-wchar|pack-struct)")
_OF_FORTRAN = re.compile(
    r"-f(?:default-(?:real|integer|double)-\d+|(?:real|integer)-\d+-(?:real|integer)-\d+|free-form|fixed-form"
    r"|d-lines-as-\w+|fixed-line-length-.*|dec\b.*)"
)
_REMEDY = "give the compile_commands.json of the build, or its folder"


@dataclass(frozen=True, slots=True)
class CompilerFlags:
    """What of a compiler's command line matters for reading a file; paths are absolute.

    For compiling it, ``rest`` has all flags as they stand, to be given to the ``compiler`` in the ``folder``.
    """

    include_dirs: tuple[str, ...] = ()
    include_files: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str | None = None
    compiler: str = ""
    rest: tuple[str, ...] = ()
    folder: str = ""

    @property
    def machine(self) -> tuple[str, ...]:
        """The flags that say what types are."""
        return _machine(self.rest)


def _machine(flags: Iterable[str]) -> tuple[str, ...]:
    return tuple(flag for flag in flags if _MACHINE.fullmatch(flag))


def read_flags(database: str, file: str) -> CompilerFlags:
    """Find the flags for ``file``; raises LiftError TL509 where the database cannot be read or does not name it."""
    found = Database(database).flags(file)
    if found is None:
        raise refuse("TL509", f"'{_path(database)}' has no command for '{file}'", remedy=_REMEDY)
    return found


def check_types(file: str, flags: Iterable[str]) -> None:
    """Raise LiftError TL509 where flags of a compiler make types other ones than a file is read with.

    So do flags that change what Fortran means.
    """
    flags = tuple(flags)
    if language_of(file) == "fortran":
        changing = next(filter(_OF_FORTRAN.fullmatch, flags), None)
        if changing is not None:
            message = f"'{file}' is compiled with {changing}, which changes what it means"
            raise refuse("TL509", message, remedy=f"compile it without {changing}")
    other = next((flag for flag in _machine(flags) if not _AS_READ.fullmatch(flag)), None)
    if other is not None:
        message = f"'{file}' is compiled with {other}, which changes the sizes of types"
        raise refuse("TL509", message, remedy=f"compile it without {other}")


class Database:
    """A database, read once for many files."""

    def __init__(self, database: str) -> None:
        """Read it; raises LiftError TL509 where it cannot be read."""
        self._path = path = _path(database)
        try:
            entries = json.loads(bounded_bytes(path))
        except (OSError, ValueError) as error:
            raise refuse("TL509", f"cannot read '{path}': {error}", remedy=_REMEDY) from None
        named = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
        self._all: dict[Path, list[dict[str, Any]]] = {}
        for entry in named:
            self._all.setdefault(_file_of(entry, path), []).append(entry)

    def flags(self, file: str) -> CompilerFlags | None:
        """Give the flags for a file, None where the database does not name it."""
        entries = self._all.get(Path(file).resolve(), ())
        return _flags(entries[0], self._path) if entries else None  # the first one of a file counts

    def files(self) -> Iterator[tuple[str, list[CompilerFlags]]]:
        """Give all files, each with the flags of each way in which it is compiled."""
        for file, entries in sorted(self._all.items()):
            yield str(file), [_flags(entry, self._path) for entry in entries]


def _path(database: str) -> Path:
    path = Path(database)
    return path / "compile_commands.json" if path.is_dir() else path


def _file_of(entry: dict[str, Any], database: Path) -> Path:
    return (_folder(entry, database) / str(entry.get("file", ""))).resolve()


def _folder(entry: dict[str, Any], database: Path) -> Path:
    return (database.parent / str(entry.get("directory", "."))).resolve()


def _flags(entry: dict[str, Any], database: Path) -> CompilerFlags:
    words = entry.get("arguments")
    command = [str(word) for word in words] if isinstance(words, list) else shlex.split(str(entry.get("command", "")))
    while command and Path(command[0]).name in _BEFORE:
        del command[0]
    folder = _folder(entry, database)
    folders: list[str] = []
    files: list[str] = []
    defines: list[str] = []
    std: str | None = None
    for flag, value in _pairs(command):
        if flag in _FOLDERS:
            folders.append(str((folder / value).resolve()))
        elif flag == "-include":
            files.append(str((folder / value).resolve()))
        elif flag == "-D":
            defines.append(value)
        elif flag == "-U":
            defines = [one for one in defines if one.partition("=")[0] != value]
        elif flag == "-std":
            std = value
    compiler = command[0] if command else ""
    if "/" in compiler:
        compiler = str(folder / compiler)
    rest = tuple(_rest(command, folder, _file_of(entry, database)))
    return CompilerFlags(tuple(folders), tuple(files), tuple(defines), std, compiler, rest, str(folder))


def _rest(command: list[str], folder: Path, file: Path) -> Iterator[str]:
    """Yield the flags that do not name the file, nor what is written."""
    words = iter(command[1:])
    for word in words:
        if word in _WITH_VALUE:
            next(words, "")
        elif not _OUTPUTS.fullmatch(word) and (word.startswith("-") or (folder / word).resolve() != file):
            yield word


def _pairs(command: list[str]) -> Iterator[tuple[str, str]]:
    """Split flags from their values, which stand behind them or as the next word."""
    words = iter(command[1:])
    for word in words:
        if word.startswith("-std="):
            yield "-std", word.removeprefix("-std=")
            continue
        for flag in (*_FOLDERS, "-include", "-D", "-U"):
            if word == flag:
                yield flag, next(words, "")
                break
            if word.startswith(flag) and (flag in {"-I", "-D", "-U"} or flag in _FOLDERS):
                yield flag, word.removeprefix(flag)
                break
