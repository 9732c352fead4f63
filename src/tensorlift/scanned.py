"""What scanning a code base gave: an entry for each function, and the record file that holds them, one on each line.

Entries of a file are appended when all of its functions are done, so a scan that was ended goes on where it was; the
whole record is written anew at the end, sorted: the same sources give the same bytes, but for times.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.codec import Codec, Form, Via
from tensorlift.diagnostics import refuse
from tensorlift.record import Level, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LOST = "TL650"  # the process that lifted a function ran out of time or crashed, or the file changed
SCHEMA_VERSION = 1
_SECONDS_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one function, or with an empty name, why a file as a whole is refused.

    ``code`` and ``reason`` say why it is refused; where a loop stays, ``reason`` says why, without a code.  ``loops``
    tells whether it loops over arrays, None where nobody could look.  ``flags`` are what it was read with.
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
            "file function=name line verdict level code reason loops seconds! sha256 target flags tensorlift=version",
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


def read_entries(name: str) -> list[Entry]:
    """Read a record file; a last line that is cut off, as by a full disk, is left out.

    Raises LiftError TL595 where the file cannot be read or is no record.
    """
    remedy = "give a record that 'tensorlift scan -o' wrote"
    try:
        lines = Path(name).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise refuse("TL595", f"cannot read '{name}': {error}", remedy=remedy) from None
    entries = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            entries.append(_ENTRIES.read(Entry, json.loads(line)))
        except (KeyError, TypeError, ValueError):
            raise refuse("TL595", f"'{name}' is no record of a scan, see line {number}", remedy=remedy) from None
    if lines == lines[-1:] != [""]:
        raise refuse("TL595", f"'{name}' is no record of a scan", remedy=remedy)
    return entries


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
