"""One file of a scan: its functions are lifted in a process of its own, which may be ended without losing the others.

    this process  <-- what the file defines, then an entry for each function --  worker, forked from a server that has
                                                                                 imported what lifting needs

The worker reads the file once, and tells before each function that it reads.  Each message has to come within the time
limit; where none comes, or the worker ends without a word, the function at hand is lost, and another worker goes on
behind it; one that was lost while it was read is refused unread.  `scan_file` takes and gives plain
values, so whoever has many files, on one machine or on several, gives each to a process or a thread of its choice.
"""

from __future__ import annotations

import ast
import ctypes
import os
import re
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tensorlift import __version__
from tensorlift.diagnostics import Diagnostic, LiftError, Severity
from tensorlift.record import Verdict
from tensorlift.scanned import LOST, Entry
from tensorlift.source import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.interface import Lifting
    from tensorlift.pipeline import LiftOptions
    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source

    Work = Callable[["Task", int, Connection], None]

_lock = threading.Lock()  # whoever starts a process asks how the others ended, which only one may do at a time
_PARENT_DEATH_SIGNAL = 1
_START_SECONDS = 120.0  # until a worker has started: the first one waits for imports
_PRELOADED = [
    "pipeline",
    "languages.c",
    "languages.cpp",
    "languages.fortran",
    "languages.mlir",
    "languages.python",
    "commands.scan_worker",
]
_NO_FUNCTION = {"TL104", "TL506"}  # codes of files that define none
_END = re.compile(r"\s*\d*\s*end\s*(?:(?:subroutine|function|procedure)\b.*)?$", re.IGNORECASE)


class _Syntax(NamedTuple):
    """What a language calls comments and texts, loops, and elements of arrays."""

    comments: re.Pattern[str]
    loop: re.Pattern[str]
    array: re.Pattern[str]


_BRACES = _Syntax(
    re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL),
    re.compile(r"\b(?:for|while|do|goto|parallel)\b"),
    re.compile(r"\[|\*\s*\w+\+\+|\b(?:memref|tensor)\b"),
)
_FORTRAN = _Syntax(
    re.compile(r"![^\n]*|^[*][^\n]*|^[cC](?![\w(]|\s*[=(%])[^\n]*|\"[^\"\n]*\"|'[^'\n]*'", re.MULTILINE),
    re.compile(
        r"^(?:[^\n]*[:;])?[\s\d]*(?:do\b(?!\s*=)|forall\s*\(|where\s*\()|\bgo\s*to\b", re.IGNORECASE | re.MULTILINE
    ),
    re.compile(r"\b(?!(?:intent|kind|integer|real|logical|if|while|case|result)\b)[a-z]\w*\s*\(", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True)
class Task:
    """A file to lift, how, and what its entries say of that."""

    file: str
    sha256: str
    options: LiftOptions
    flags: tuple[str, ...]
    unread: tuple[tuple[str, int, str], ...] = ()  # functions not to be read: name, line, and why
    folder: str = "."  # where names of files start

    @property
    def key(self) -> tuple[str, str, str, tuple[str, ...], str]:
        """What entries have as theirs that are of this file, lifted this way."""
        return self.file, self.sha256, self.options.target, self.flags, __version__

    def entry(  # noqa: PLR0913 - what differs between entries
        self,
        name: str,
        line: int,
        verdict: Verdict = Verdict.REFUSED,
        *,
        why: tuple[str, str] = ("", ""),
        loops: bool | None = None,
        record: FunctionRecord | None = None,
        seconds: float | None = None,
    ) -> Entry:
        """Make an entry of the file; ``why`` is a code and a reason."""
        level = record.level if record is not None else None
        _, sha256, target, flags, version = self.key
        return Entry(self.file, name, line, verdict, level, *why, loops, seconds, sha256, target, flags, version)


@dataclass(frozen=True, slots=True)
class Listed:
    """A function that a file defines."""

    name: str
    line: int
    loops: bool
    end: int | None = None


def scan_file(task: Task, seconds: float, work: Work | None = None) -> list[Entry]:
    """Lift the functions of a file, each within a limit of wall clock; ``work`` is what a worker does."""
    found: list[Entry] = []
    while True:
        listed, at, why = _supervised(task, found, seconds, work or lift_functions)
        if not why:
            return found
        if listed is not None:
            lost = listed[len(found)]
            found.append(task.entry(lost.name, lost.line, why=(LOST, why), loops=lost.loops))
            if len(found) == len(listed):
                return found
        elif at is not None and all(at != one[:2] for one in task.unread):
            task = replace(task, unread=(*task.unread, (*at, why)))
        else:  # nobody knows what the file defines
            return [*found, task.entry("", 1, why=(LOST, why))]


def _supervised(
    task: Task, found: list[Entry], seconds: float, work: Work
) -> tuple[list[Listed] | None, tuple[str, int] | None, str]:
    """Let a worker do what is not yet found.

    Say what the file defines, which function was read last, and why the worker did not end well.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([f"tensorlift.{name}" for name in _PRELOADED])
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_be_worker, args=(work, task, len(found), sender), daemon=True)
    with _lock:
        process.start()
    sender.close()
    listed: list[Listed] | None = None
    at: tuple[str, int] | None = None
    limit = _START_SECONDS
    try:
        while receiver.poll(limit):
            match receiver.recv():
                case None:
                    limit = seconds
                case Entry() as entry:
                    found.append(entry)
                case (str(name), int(line)):
                    at = name, line
                case names:
                    listed = names
            if listed is not None and len(found) >= len(listed):
                return listed, at, ""
    except (EOFError, OSError):
        return listed, at, _ending(_ended(process))
    finally:
        receiver.close()
        assert process.pid
        with suppress(ProcessLookupError, PermissionError):  # it may not yet have a session of its own
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        _ended(process)
    return listed, at, f"it took more than {limit:g} s"


def _ended(process: ForkServerProcess) -> int | None:
    with _lock:
        process.join()
    return process.exitcode


def _ending(status: int | None) -> str:
    if status is not None and status < 0:
        return f"the process that lifted it was stopped by {signal.Signals(-status).name}"
    return f"the process that lifted it ended with code {status}"


def _be_worker(work: Work, task: Task, done: int, sender: Connection) -> NoReturn:
    """Do a worker's part, and end this process without taking it apart."""
    status = 1
    try:
        os.setsid()
        with suppress(OSError):  # a machine without it has no file of it either
            os.chdir(task.folder)
        with suppress(OSError, AttributeError):  # Linux ends it when the server ends, as that does with this process
            ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        for stream in () if "TENSORLIFT_DEBUG" in os.environ else (1, 2):  # what is printed is no part of a report
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        sender.send(None)
        work(task, done, sender)
        status = 0
    finally:
        os._exit(status)


def lift_functions(task: Task, done: int, sender: Connection) -> None:
    """Send what a file defines, then an entry for each function behind those that are done."""
    from tensorlift import reading
    from tensorlift.deep import with_deep_stack
    from tensorlift.frontends import read_function

    start = time.perf_counter()
    read_function.watch = _telling(task, sender)
    try:
        source = _read(task)
        functions = with_deep_stack(partial(reading.read, source, task.options))
    except LiftError as refusal:
        functions = ()
        first = refusal.diagnostics[0]
        if first.code not in _NO_FUNCTION:
            line = first.location.line if first.location and first.location.file == task.file else 1
            entry = task.entry("", line, why=(first.code, first.message), seconds=time.perf_counter() - start)
            sender.send([Listed("", line, loops=False)])
            sender.send(replace(entry, remedy=first.remedy))
            return
    listed = list_functions(source, functions) if functions else []
    sender.send(listed)
    share = (time.perf_counter() - start) / max(len(listed), 1)  # of reading
    for function, known in list(zip(functions, listed, strict=True))[done:]:
        sender.send(_lifted(task, source, function, known, share))


def _read(task: Task) -> Source:
    """Read the file; raises LiftError where it is not the one that entries would tell of."""
    from tensorlift.source import read_source

    try:
        source = read_source(task.file)
        why = "it changed since the scan began, or is another one on the machine that lifts it"
    except LiftError as error:
        source, why = None, error.diagnostics[0].message
    if source is None or source.sha256 != (task.sha256 or source.sha256):
        raise LiftError(Diagnostic(LOST, why))
    return source


def _telling(task: Task, sender: Connection) -> Callable[[str, Location], Diagnostic | None]:
    """Tell which function is read next, and refuse those that were lost so."""
    unread = {(name, line): why for name, line, why in task.unread}

    def tell(name: str, location: Location) -> Diagnostic | None:
        sender.send((name, location.line))
        why = unread.get((name, location.line))
        return None if why is None else Diagnostic(LOST, why, location)

    return tell


def _lifted(task: Task, source: Source, function: ReadFunction, known: Listed, seconds: float) -> Entry:
    from tensorlift.commands.scan_lines import matches
    from tensorlift.pipeline import lift_read

    start = time.perf_counter()
    found: dict[str, Lifting] = {}
    (record,) = lift_read(source, task.options, lambda: [function], found).functions
    seconds += time.perf_counter() - start
    why = reason_of(record)
    entry = task.entry(
        known.name,
        known.line,
        record.verdict,
        why=(why.code, why.message),
        loops=known.loops,
        record=record,
        seconds=seconds,
    )
    at = why.location.line if why.location is not None and why.location.file == task.file else None
    lines = matches(found[record.name]) if record.name in found else ()
    asked = tuple(sorted(function.elsewhere.asked.items())) if function.elsewhere is not None else ()
    return replace(entry, end=known.end, at=at, remedy=why.remedy, program=record.program, matches=lines, asked=asked)


def reason_of(record: FunctionRecord) -> Diagnostic:
    """Give what refuses a function; where a loop stays, why, without a code."""
    first = next((d for d in record.diagnostics if _matters(d, record)), None)
    if first is not None:
        return first
    loop = next(iter(record.residual_loops), None)
    return Diagnostic("", "") if loop is None else Diagnostic("", loop.reason, loop.location)


def _matters(diagnostic: Diagnostic, record: FunctionRecord) -> bool:
    return diagnostic.severity is Severity.ERROR or (
        record.verdict is Verdict.UNCHANGED and diagnostic.severity is Severity.WARNING
    )


def list_functions(source: Source, functions: Sequence[ReadFunction]) -> list[Listed]:
    """Say of functions where they stand, and whether they loop over arrays: as they are written, as none may lift.

    In other languages than Python, the text of one goes on until the next one starts.
    """
    known = _python_functions(source.text) if language_of(source.name) == "python" else None
    syntax = _FORTRAN if language_of(source.name) == "fortran" else _BRACES
    text = syntax.comments.sub(lambda found: "\n" * found[0].count("\n"), source.text) if known is None else ""
    lines = text.split("\n")
    starts = sorted({f.location.line for f in functions})
    listed = []
    for function in functions:
        line = function.location.line
        if known is not None:
            loops, last = known.get(function.name, (False, line))
        else:
            end = next((start for start in starts if start > line), len(lines) + 1)
            own = lines[line - 1 : end - 1]
            loops = bool(
                syntax.loop.search("\n".join(own)) and syntax.array.search("\n".join(own[syntax is _FORTRAN :]))
            )
            last = line + (_closing(own) if syntax is _BRACES else _last_end(own))
        loops = function.loops() if function.loops is not None else loops
        listed.append(Listed(function.name, line, loops, last))
    return listed


def _closing(lines: Sequence[str]) -> int:
    """Find the last line of the text of a function, its head the first one: where its braces are all closed."""
    depth = 0
    closing = len(lines) - 1
    for number, line in enumerate(lines):
        depth += line.count("{") - line.count("}")
        if depth == 0 and "}" in line:
            return number
        if depth < 0:  # what is around it ends here
            break
        closing = number if line.strip() else closing
    return closing


def _last_end(lines: Sequence[str]) -> int:
    """Find the last line of a procedure of Fortran, those that it contains included."""
    return next((k for k in range(len(lines) - 1, -1, -1) if _END.match(lines[k])), len(lines) - 1)


def _python_functions(text: str) -> dict[str, tuple[bool, int]]:
    """Tell which functions loop and subscript, or loop over what is no range, and where each ends."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found = {}
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        nodes = [node for statement in function.body for node in ast.walk(statement)]
        loops = [node for node in nodes if isinstance(node, ast.For | ast.While | ast.comprehension)]
        subscripts = any(isinstance(node, ast.Subscript) for node in nodes)
        does_loop = any(subscripts or _is_over_values(loop) for loop in loops)
        found[function.name] = does_loop, function.end_lineno or function.lineno
    return found


def _is_over_values(loop: ast.AST) -> bool:
    """Tell whether a loop goes over the values of something that has a name."""
    return isinstance(loop, ast.For | ast.comprehension) and not isinstance(loop.iter, ast.Call)
