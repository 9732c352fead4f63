"""The files that a scan takes: sources in folders, without what git ignores, is hidden, was built or installed."""

from __future__ import annotations

import os
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.reading import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LEFT_OUT = {"build", "dist", "venv", "node_modules", "__pycache__", "site-packages"}
_MARKS = ("pyvenv.cfg", "CMakeCache.txt")  # files of folders that hold what was built or installed


def source_files(paths: Sequence[str], excluded: Sequence[str] = ()) -> list[str]:
    """List the sources in files and folders, each once, in order; a file that is named is taken whatever it is called.

    Raises LiftError TL596 where a path is not there, or nothing is found.
    """
    found: dict[Path, str] = {}
    for path in paths:
        if not os.path.lexists(path):
            raise refuse("TL596", f"there is no '{path}'", remedy="give files or folders")
        files = _in_folder(path, excluded) if Path(path).is_dir() else [path]
        for file in files:
            found.setdefault(Path(file).resolve(), str(Path(file)))  # `./a.c` and `a.c` have one name in records
    if not found:
        remedy = f"give other folders, or files by name; names end in {', '.join(sorted(SUFFIXES))}"
        raise refuse("TL596", "no source is found that git does not ignore", remedy=remedy)
    return sorted(found.values())


def changed_since(revision: str, paths: Sequence[str], files: Sequence[str]) -> list[str]:
    """Keep of the files in paths those that differ from a revision, or that git does not know yet.

    Raises LiftError TL596 where git cannot tell.
    """
    changed = set()
    for folder in {path if Path(path).is_dir() else str(Path(path).parent) for path in paths}:
        for command in (
            ["diff", "--name-only", "-z", "--relative", "--end-of-options", revision, "--"],
            ["ls-files", "-z", "--others", "--exclude-standard"],
        ):
            names = _said_by_git(folder, command)
            if names is None:
                raise refuse("TL596", f"git knows no revision '{revision}' of '{folder}'", remedy="leave --since out")
            changed |= {Path(folder, name).resolve() for name in names}
    return [file for file in files if Path(file).resolve() in changed]


def _said_by_git(folder: str, command: Sequence[str]) -> list[str] | None:
    """Give the names that git says; None where there is no git, or no such thing."""
    try:
        said = subprocess.run(["git", "-C", folder, *command], capture_output=True, check=False)  # noqa: S603, S607 - no shell reads it, and the user's git is meant
    except OSError:
        return None
    return None if said.returncode else [os.fsdecode(name) for name in said.stdout.split(b"\0") if name]


def _in_folder(folder: str, excluded: Sequence[str]) -> Iterator[str]:
    marked: dict[Path, bool] = {}
    for name in _listed(folder):
        path = Path(name)
        inside = path.relative_to(folder)
        is_source = path.suffix in SUFFIXES and path.is_file() and not path.is_symlink()
        if is_source and not _is_left_out(inside) and not _is_excluded(inside, excluded):
            above = [Path(folder, one) for one in inside.parents if one.name]
            if not any(_is_marked(one, marked) for one in above):
                yield name


def _listed(folder: str) -> Iterable[str]:
    """List files as git does where the folder is in a repository, otherwise all."""
    said = _said_by_git(folder, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    if said is None:
        return _walked(folder)
    names = [os.path.join(folder, name) for name in said]  # noqa: PTH118 - as the user spelled the folder
    nested = [name for name in names if Path(name).is_dir() and not Path(name).is_symlink()]  # other repositories
    return [name.rstrip("/") for name in names] + [name for one in nested for name in _listed(one.rstrip("/"))]


def _walked(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_left_out(Path(name)))
        yield from (os.path.join(root, name) for name in sorted(files))  # noqa: PTH118 - as above


def _is_left_out(inside: Path) -> bool:
    return any(part in _LEFT_OUT or part.startswith(".") for part in inside.parts)


def _is_marked(folder: Path, known: dict[Path, bool]) -> bool:
    if folder not in known:
        known[folder] = any((folder / mark).exists() for mark in _MARKS)
    return known[folder]


def _is_excluded(inside: Path, excluded: Sequence[str]) -> bool:
    names = [str(part) for part in (inside, *inside.parents)] + list(inside.parts)
    return any(fnmatch(name, glob.rstrip("/")) for glob in excluded for name in names)
