"""Lifts that are kept on disk, of live functions and of sources, so that the next run finds what this one found.

An entry is a file of JSON, named by a digest of its key: the source with all that its names mean, the options, the
machine, and the versions of Python, of NumPy and of all our code.  It holds its key and a digest of what follows, which
is the run record, certificate and level included, with how a live function is called.  What is read is that of this
user, whole, of this very key, and of this form; all else is passed over, as if nothing were kept.  Entries are moved
into their place when they are complete, so several processes may share the folder.

``TENSORLIFT_CACHE`` names another folder, or is ``off``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import stat
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tensorlift import __version__
from tensorlift.calls.program import PythonInterface
from tensorlift.codec import Codec, Form, Via
from tensorlift.contract.interface import Parameter, Precondition, Role
from tensorlift.contract.notation import FORMS, VIA
from tensorlift.diagnostics import Diagnostic, Location, Note, Severity
from tensorlift.record import (
    EngineRun,
    FunctionRecord,
    Level,
    LiftRecord,
    Numerics,
    Outcome,
    Output,
    Region,
    ResidualLoop,
    Trial,
    Verdict,
)

if TYPE_CHECKING:
    from enum import Enum

_VARIABLE, _OFF = "TENSORLIFT_CACHE", {"off", "0", ""}
_INTERNAL = "TL9"  # begins the codes of internal errors
_MOST = 2000  # entries, of which the oldest go
_LARGEST = 64 << 20  # bytes of an entry
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


Lift = TypeVar("Lift")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a lift found: the record, and how the source is called, None where it was refused."""

    record: FunctionRecord
    interface: PythonInterface | None


def _by_value(kind: type[Enum]) -> Via:
    return Via(lambda _, member: member.value, str, lambda _, text: kind(text))


_KEPT = Codec(
    FORMS
    | {
        Kept: Form("record interface"),
        LiftRecord: Form("version file sha256 target functions diagnostics seconds"),
        FunctionRecord: Form(
            "name verdict location level definitions undecided engine target seconds parameters outputs preconditions"
            " restricted numerics residual_loops work diagnostics program certificate tests adapter without_adapter"
            " engines region"
        ),
        PythonInterface: Form("shapes scalars returns returns_tuple pairs ways keys"),
        Location: Form("file line column"),
        Diagnostic: Form("code message location remedy severity notes"),
        Note: Form("message location"),
        Region: Form("function end"),
        EngineRun: Form("engine outcome reason cost seconds counts heuristics forms"),
        Parameter: Form("name role dtype shape strides"),
        Output: Form("name dtype shape"),
        Precondition: Form("text reason location kind condition"),
        ResidualLoop: Form("loop dependence statement reason location"),
        Trial: Form("against cases sizes error failure"),
    },
    VIA
    | {kind: _by_value(kind) for kind in (Verdict, Level, Outcome, Numerics, Role, Severity)}
    | {
        (FunctionRecord, "certificate"): Via(lambda _, certificate: certificate),
        (PythonInterface, "pairs"): Via(
            lambda _, names: sorted(names), tuple[str, ...], lambda _, names: frozenset(names)
        ),
    },
)


def folder() -> Path | None:
    """Give the folder of the entries; None where nothing is to be kept."""
    named = os.environ.get(_VARIABLE)
    if named is not None:
        return None if named.lower() in _OFF else Path(named)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if not home.is_absolute():
        return None
    match sys.platform:
        case "darwin":
            return home / "Library" / "Caches" / "tensorlift"
        case "win32":
            return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "tensorlift" / "Cache"
    named = os.environ.get("XDG_CACHE_HOME", "")  # which has to be an absolute path
    return (Path(named) if named.startswith("/") else home / ".cache") / "tensorlift"


@cache
def _our_code() -> str:
    """Give a digest of all files of the package, and the versions of what else decides about a lift."""
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    for base, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for path in (Path(base, name) for name in sorted(names)):
            text = path.read_bytes()
            digest.update(f"{path.relative_to(root)}\0{len(text)}\0".encode() + text)
    machine = f"{sys.platform} {platform.machine()}"
    return f"{__version__} {digest.hexdigest()} {platform.python_version()} {np.__version__} {machine}"


def find(source: Any, kind: type[Lift]) -> Lift | None:
    """Find what is kept of a lift, of a kind; ``source`` are JSON values that tell all that it depends on."""
    place = folder()
    try:
        if place is None or not _is_ours(os.stat(place)):  # noqa: PTH116 - as of the file
            return None
        key = _key(source)
        descriptor = os.open(_entry(place, key), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(descriptor, encoding="utf-8") as file:  # noqa: PTH123 - of a descriptor
            found = os.fstat(descriptor)
            if not _is_ours(found) or not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
                return None
            stated, digest, body = file.read().split("\n", 2)
        if stated != key or digest != hashlib.sha256(body.encode()).hexdigest():
            return None
        kept = _KEPT.read(kind, json.loads(body))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None
    return kept if isinstance(kept, kind) else None


def keep(source: Any, kept: Kept | LiftRecord) -> None:
    """Keep what a lift found, unless it met an internal error; nothing is said where it cannot be kept."""
    place = folder()
    functions = (kept.record,) if isinstance(kept, Kept) else kept.functions
    if place is None or any(d.code.startswith(_INTERNAL) for one in functions for d in one.diagnostics):
        return
    with contextlib.suppress(OSError, ValueError, TypeError):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(place.stat()):
            return
        key, body = _key(source), json.dumps(_KEPT.write(kept), ensure_ascii=True)
        descriptor, name = tempfile.mkstemp(".part", "", place)
        try:
            with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - of a descriptor
                file.write(f"{key}\n{hashlib.sha256(body.encode()).hexdigest()}\n{body}")
            Path(name).replace(_entry(place, key))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _drop_oldest(place)


def _key(source: Any) -> str:
    return json.dumps([_our_code(), source], ensure_ascii=True, sort_keys=True)


def _entry(place: Path, key: str) -> Path:
    return place / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


def _is_ours(found: os.stat_result) -> bool:
    """Whether a file or folder is this user's, and nobody else may write it."""
    if not hasattr(os, "getuid"):
        return True  # Windows keeps the folders of its users apart
    return found.st_uid == os.getuid() and not found.st_mode & _OTHERS_MAY_WRITE


def _drop_oldest(place: Path) -> None:
    entries = [path for path in place.iterdir() if path.suffix in {".json", ".part"}]
    if len(entries) > _MOST:
        for path in sorted(entries, key=lambda path: path.stat().st_mtime)[: len(entries) - _MOST // 2]:
            path.unlink(missing_ok=True)
