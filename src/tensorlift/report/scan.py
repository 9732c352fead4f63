"""The summary of a scan: verdicts counted, reasons by how often they are the one, what became worse."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from tensorlift import __version__
from tensorlift.record import Verdict
from tensorlift.scanned import SCHEMA_VERSION, Entry, as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIFTED = {Verdict.LOOP_FREE, Verdict.SCAN, Verdict.HYBRID}
_CUT = 88  # characters of a reason on a line
_DETAILS = re.compile(r"^\S+ |[,(\n].*", re.DOTALL)  # the array that a reason is about, numbers and places

Worse = tuple[Entry, Entry]


def show_scan(entries: Sequence[Entry], files: int, worse: Sequence[Worse]) -> str:
    """Give the summary as text: how many of which verdict, how many with loops lift, why the others do not."""
    functions, refused = split(entries)
    lines = [f"{counted(len(functions), 'function')} in {counted(files, 'file')}"]
    lines += [f"  {verdict:<10}{count:>6}" for verdict, count in counts(functions).items()]
    if refused:
        lines.append(f"{counted(len(refused), 'file')} refused as a whole")
    if looping(functions):
        lines.append(share_lifted(functions))
    for title, is_kept in (("Why functions and files are refused or unchanged:", False), ("Why loops stay:", True)):
        found = [group for group in reasons(entries).values() if (not group[0].code) is is_kept]
        lines += ["", title] * bool(found)
        for group in found:
            name = "" if is_kept else f"{group[0].code}  "
            lines.append(f"{len(group):>6}  {name}{_short(group[0].reason)}, as in {_place(group[0])}")
    lines += ["", f"{counted(len(worse), 'regression')}:"] * bool(worse)
    lines += [f"  {_place(now)}: {was.name} is {now.verdict}, was {was.verdict}{_because(now)}" for was, now in worse]
    return "\n".join(lines) + "\n"


def scan_json(entries: Sequence[Entry], files: int, worse: Sequence[Worse]) -> str:
    """Give the whole as one JSON object, which docs/scan.schema.json describes."""
    functions, refused = split(entries)
    whole = {
        "schema": SCHEMA_VERSION,
        "tensorlift": __version__,
        "files": files,
        "refused_files": len(refused),
        "verdicts": counts(functions),
        "with_loops": {"functions": len(looping(functions)), "lifted": _lifted(functions)},
        "reasons": [
            {"code": group[0].code, "count": len(group), "example": _place(group[0]), "message": group[0].reason}
            for group in reasons(entries).values()
        ],
        "regressions": [
            {"file": was.file, "function": was.name, "was": str(was.verdict), "is": str(now.verdict)}
            for was, now in worse
        ],
        "functions": as_json(entries),
    }
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def split(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Tell functions from files that are refused as a whole."""
    return [entry for entry in entries if entry.name], [entry for entry in entries if not entry.name]


def looping(functions: Sequence[Entry]) -> list[Entry]:
    """Keep functions with loops over arrays."""
    return [entry for entry in functions if entry.loops]


def _lifted(functions: Sequence[Entry]) -> int:
    return sum(entry.verdict in _LIFTED for entry in looping(functions))


def share_lifted(functions: Sequence[Entry]) -> str:
    """Say how many of the functions with loops over arrays lift; there must be some."""
    lifted, number = _lifted(functions), len(looping(functions))
    return f"{lifted} of {counted(number, 'function')} with loops over arrays lift ({100 * lifted / number:.0f} %)"


def counts(functions: Sequence[Entry]) -> dict[str, int]:
    """Count verdicts, from best to worst."""
    counts = Counter(entry.verdict for entry in functions)
    return {str(verdict): counts[verdict] for verdict in Verdict}


def reasons(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Group what has a reason by its cause, the most frequent one first."""
    found = defaultdict[str, list[Entry]](list)
    for entry in entries:
        if entry.reason:
            found[cause_of(entry)].append(entry)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def cause_of(entry: Entry) -> str:
    """Give the code of what refuses a function, or why a loop stays, without what is named there."""
    return entry.code or _DETAILS.sub("", entry.reason).strip()


def _place(entry: Entry) -> str:
    return f"{entry.file}:{entry.line}"


def _because(entry: Entry) -> str:
    return f" ({entry.code} {_short(entry.reason)})" if entry.code else ""


def first_line(reason: str) -> str:
    """Leave out what a reason says besides."""
    return reason.split("\n", 1)[0]


def _short(reason: str) -> str:
    first = first_line(reason)
    return first if len(first) <= _CUT else f"{first[: _CUT - 1]}…"


def counted(number: int, what: str) -> str:
    """Spell a number of things."""
    return f"{number} {what}{'s' * (number != 1)}"
