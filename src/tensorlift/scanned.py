"""What scanning a code base gave: an entry for each function, and the record file that holds them, one on each line.

Entries of a file are appended when all of its functions are done, so a scan that was ended goes on where it was; the
whole record is written anew at the end, sorted: the same sources give the same bytes, but for times.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.codec import Codec, Form, Via
from tensorlift.diagnostics import refuse
from tensorlift.record import Level, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Match = tuple[int, int, int, int]  # first and last line of a stretch of a program, and of its source
LOST = "TL650"  # the process that lifted a function ran out of time or crashed, or the file changed
SCHEMA_VERSION = 2
_SECONDS_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one function, or with an empty name, why a file as a whole is refused.

    ``code`` and ``reason`` say why it is refused; where a loop stays, ``reason`` says why, without a code.  ``loops``
    tells whether it loops over arrays, None where nobody could look.  ``flags`` are what it was read with.  ``end`` is
    its last line, ``at`` the one that the reason is about, ``remedy`` what must change; ``matches`` tell which lines of
    the file a line of the program computes.  ``asked`` are names that were looked for in other files, each with a
    digest of those that have it.
    """

    file: str
    name: str
    line: int
    verdict: Verdict
    level: Level | None
    code: str
    reason: str
    loops: bool | None
    seconds: float | None
    sha256: str
    target: str
    flags: tuple[str, ...]
    version: str
    end: int | None = None
    at: int | None = None
    remedy: str = ""
    program: str = ""
    matches: tuple[Match, ...] = ()
    asked: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> tuple[str, str, str, tuple[str, ...], str]:
        """What tells the scan of a file from others: what it was, and how it was lifted."""
        return self.file, self.sha256, self.target, self.flags, self.version

    @property
    def is_lost(self) -> bool:
        """Whether the process that lifted it ran out of time or crashed."""
        return self.code == LOST


_ENTRIES = Codec(
    {
        Entry: Form(
            "file function=name line end! verdict level code reason at! remedy? loops seconds! sha256 target flags"
            " tensorlift=version program? matches? asked?",
            make=lambda **given: Entry(**{"seconds": None, **given}),
        )
    },
    {
        Verdict: Via(lambda _, verdict: str(verdict), str, lambda _, text: Verdict(text)),
        Level: Via(lambda _, level: str(level), str, lambda _, text: Level(text)),
        (Entry, "seconds"): Via(lambda _, spent: round(spent, _SECONDS_DIGITS), float),
    },
)


def as_json(entries: Iterable[Entry]) -> list[dict[str, object]]:
    """Give entries as JSON values."""
    return [_ENTRIES.write(entry) for entry in entries]


def lines_of(entries: Iterable[Entry]) -> str:
    """Spell entries as lines of a record."""
    return "".join(json.dumps(one, ensure_ascii=False, allow_nan=False) + "\n" for one in as_json(entries))


def verdicts_of(entries: Iterable[Entry]) -> str:
    """Spell what a later scan is compared with: a line for each file, functions and verdicts in order."""
    files: dict[str, list[list[str]]] = {}
    for entry in in_order(entries):
        files.setdefault(entry.file, []).append([entry.name, str(entry.verdict)])
    lines = ({"file": file, "verdicts": verdicts} for file, verdicts in files.items())
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def read_entries(name: str) -> list[Entry]:
    """Read a record file; a last line that is cut off, as by a full disk, is left out.

    Raises LiftError TL595 where the file cannot be read or is no record.
    """
    return _read(name, lambda line: [_ENTRIES.read(Entry, line)])


def read_baseline(name: str) -> list[Entry]:
    """Read a record file, or one of `verdicts_of`, of which entries tell no more; raises LiftError TL595 as above."""
    return _read(name, lambda line: _verdicts(line) if "verdicts" in line else [_ENTRIES.read(Entry, line)])


def _read(name: str, read: Callable[[Any], list[Entry]]) -> list[Entry]:
    remedy = "give a record that 'tensorlift scan -o' wrote"
    try:
        lines = Path(name).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise refuse("TL595", f"cannot read '{name}': {error}", remedy=remedy) from None
    entries = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            entries += read(json.loads(line))
        except (KeyError, TypeError, ValueError):
            raise refuse("TL595", f"'{name}' is no record of a scan, see line {number}", remedy=remedy) from None
    if lines == lines[-1:] != [""]:
        raise refuse("TL595", f"'{name}' is no record of a scan", remedy=remedy)
    return entries


def _verdicts(line: Any) -> list[Entry]:
    """Make entries of a line of `verdicts_of`; they stand on lines in their order."""
    file = str(line["file"])
    return [
        Entry(file, name, number, Verdict(verdict), None, "", "", None, None, "", "", (), "")
        for number, (name, verdict) in enumerate(line["verdicts"], 1)
    ]


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Sort entries by file, and as they stand there."""
    return sorted(entries, key=lambda entry: (entry.file, entry.line, entry.name))


def regressions(old: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[Entry, Entry]]:
    """Pair functions whose verdict is worse than it was with what they were.

    Where a file as a whole is refused now, all that lifted of it is lost.
    """
    order = list(Verdict)
    before, after = _numbered(old), _numbered(new)
    refused = {entry.file: entry for entry in new if not entry.name}
    found = []
    for (file, name, number), was in before.items():
        now = after.get((file, name, number)) or refused.get(file)
        if now is not None and order.index(now.verdict) > order.index(was.verdict):
            found.append((was, now))
    return found


def _numbered(entries: Iterable[Entry]) -> dict[tuple[str, str, int], Entry]:
    """Find functions by file, name, and which of that name they are: C++ has several."""
    seen = Counter[tuple[str, str]]()
    found = {}
    for entry in in_order(entries):
        if entry.name:
            found[entry.file, entry.name, seen[entry.file, entry.name]] = entry
            seen[entry.file, entry.name] += 1
    return found
