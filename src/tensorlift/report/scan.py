"""The summary of a scan: verdicts counted, reasons by how often they are the one, what became worse."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from tensorlift import __version__
from tensorlift.record import Verdict
from tensorlift.scanned import SCHEMA_VERSION, Entry, as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIFTED = {Verdict.LOOP_FREE, Verdict.SCAN, Verdict.HYBRID}
_CUT = 88  # characters of a reason on a line

Worse = tuple[Entry, Entry]


def show_scan(entries: Sequence[Entry], files: int, worse: Sequence[Worse]) -> str:
    """Give the summary as text: how many of which verdict, how many with loops lift, why the others do not."""
    functions, refused = _split(entries)
    lines = [f"{_counted(len(functions), 'function')} in {_counted(files, 'file')}"]
    lines += [f"  {verdict:<10}{count:>6}" for verdict, count in _counts(functions).items()]
    if refused:
        lines.append(f"{_counted(len(refused), 'file')} refused as a whole")
    looping = [entry for entry in functions if entry.loops]
    if looping:
        lifted = sum(entry.verdict in _LIFTED for entry in looping)
        share = 100 * lifted / len(looping)
        lines.append(f"{lifted} of {_counted(len(looping), 'function')} with loops over arrays lift ({share:.0f} %)")
    for title, is_kept in (("Why functions and files are refused or unchanged:", False), ("Why loops stay:", True)):
        found = {code: group for code, group in _reasons(entries).items() if (not code) is is_kept}
        lines += ["", title] * bool(found)
        for code, group in found.items():
            name = "" if is_kept else f"{code}  "
            lines.append(f"{len(group):>6}  {name}{_short(group[0].reason)}, as in {_place(group[0])}")
    lines += ["", f"{_counted(len(worse), 'regression')}:"] * bool(worse)
    lines += [f"  {_place(now)}: {was.name} is {now.verdict}, was {was.verdict}{_because(now)}" for was, now in worse]
    return "\n".join(lines) + "\n"


def scan_json(entries: Sequence[Entry], files: int, worse: Sequence[Worse]) -> str:
    """Give the whole as one JSON object, which docs/scan.schema.json describes."""
    functions, refused = _split(entries)
    looping = [entry for entry in functions if entry.loops]
    whole = {
        "schema": SCHEMA_VERSION,
        "tensorlift": __version__,
        "files": files,
        "refused_files": len(refused),
        "verdicts": _counts(functions),
        "with_loops": {"functions": len(looping), "lifted": sum(entry.verdict in _LIFTED for entry in looping)},
        "reasons": [
            {"code": code, "count": len(group), "example": _place(group[0]), "message": group[0].reason}
            for code, group in _reasons(entries).items()
        ],
        "regressions": [
            {"file": was.file, "function": was.name, "was": str(was.verdict), "is": str(now.verdict)}
            for was, now in worse
        ],
        "functions": as_json(entries),
    }
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _split(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    return [entry for entry in entries if entry.name], [entry for entry in entries if not entry.name]


def _counts(functions: Sequence[Entry]) -> dict[str, int]:
    counts = Counter(entry.verdict for entry in functions)
    return {str(verdict): counts[verdict] for verdict in Verdict}


def _reasons(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Group what has a reason by its code, the most frequent first; loops that stay have none."""
    found = defaultdict[str, list[Entry]](list)
    for entry in entries:
        if entry.reason:
            found[entry.code].append(entry)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def _place(entry: Entry) -> str:
    return f"{entry.file}:{entry.line}"


def _because(entry: Entry) -> str:
    return f" ({entry.code} {_short(entry.reason)})" if entry.code else ""


def _short(reason: str) -> str:
    first = reason.split("\n", 1)[0]
    return first if len(first) <= _CUT else f"{first[: _CUT - 1]}…"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
