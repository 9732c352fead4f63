"""A scan as one HTML file that needs nothing else: what becomes of functions, and their sources beside their programs.

The page is `scan.html`; here its table is written, and what its script shows of a function, as data.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import TYPE_CHECKING

from tensorlift import __version__
from tensorlift.diagnostics import LiftError
from tensorlift.record import Level, Verdict
from tensorlift.report.html import as_script_data, code, page, verdict
from tensorlift.report.program import language, source_language
from tensorlift.report.scan import cause_of, counted, counts, first_line, looping, reasons, share_lifted, split
from tensorlift.source import Source, read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tensorlift.report.html import Range
    from tensorlift.scanned import Entry, Match

_LIFTED = {Verdict.LOOP_FREE, Verdict.SCAN}


def scan_html(entries: Sequence[Entry], files: int) -> str:
    """Write the page; sources are read again, and left out where they are not as they were."""
    read = cache(_read)
    ordered = sorted(((entry, _length(entry, read(entry.file, entry.sha256))) for entry in entries), key=_worth)
    functions = [_function(entry, read(entry.file, entry.sha256)) for entry, _ in ordered]
    causes = reasons(entries)
    parts = {
        "head": _head(entries, files),
        "summary": "\n".join(_summary(entries, causes)),
        "verdicts": "".join(f"<option>{verdict}</option>" for verdict in Verdict),
        "causes": "".join(f"<option>{escape(cause)}</option>" for cause in causes),
        "rows": "\n".join(_row(number, *found) for number, found in enumerate(ordered)),
        "data": as_script_data(functions),
    }
    return page("scan", parts)


def _head(entries: Sequence[Entry], files: int) -> str:
    functions, refused = split(entries)
    lost = f", {counted(len(refused), 'file')} refused as a whole" if refused else ""
    targets = ", ".join(sorted({entry.target for entry in entries}))
    what = f"{counted(len(functions), 'function')} in {counted(files, 'file')}{lost}"
    return f'<p>{what} <span class="faint">to {escape(targets)}, by tensorlift {__version__}</span></p>'


def _summary(entries: Sequence[Entry], causes: dict[str, list[Entry]]) -> Iterator[str]:
    functions, _ = split(entries)
    found = counts(functions)
    spans = "".join(f'<span class="{v}" style="--n: {n}" title="{v}: {n}"></span>' for v, n in found.items() if n)
    items = "".join(f"<li><b>{n}</b>{verdict(v)}</li>" for v, n in found.items())
    yield f'<div class="bar" aria-hidden="true">{spans}</div>\n<ul class="counts">{items}</ul>'
    if looping(functions):
        yield f"<p>{escape(share_lifted(functions))}</p>"
    if causes:
        yield '<h2 id="causes">Causes</h2>\n<table aria-labelledby="causes"><thead><tr><th scope="col">Cause</th>'
        yield '<th scope="col" class="number">Count</th><th scope="col">For example</th>'
        yield '<th scope="col">What must change</th></tr></thead><tbody>'
        for cause, group in causes.items():
            one = group[0]
            chosen = f'<button type="button" data-choose="{escape(cause)}">{escape(cause)}</button>'
            place = f'<span class="faint">{escape(one.file)}:{one.at or one.line}</span>'
            yield f'<tr><td>{chosen}</td><td class="number">{len(group)}</td>'
            yield f"<td>{escape(first_line(one.reason))} {place}</td><td>{escape(one.remedy)}</td></tr>"
        yield "</tbody></table>"


def _row(number: int, entry: Entry, length: int) -> str:
    levels, verdicts = [*Level, None], list(Verdict)
    name = f'<button type="button" aria-expanded="false">{escape(entry.name or "whole file")}</button>'
    said = f"{entry.level}" if entry.level is not None else "none"
    cause = cause_of(entry)
    cells = (
        f'<td data-key="{escape(entry.name)}">{name}</td>',
        f"<td>{escape(entry.file)}:{entry.line}</td>",
        f'<td data-key="{verdicts.index(entry.verdict)}" class="verdict {entry.verdict}">{entry.verdict}</td>',
        f'<td data-key="{levels.index(entry.level)}">{said}</td>',
        f'<td class="number">{length or ""}</td>',
        f'<td><span class="faint">{entry.code}</span> {escape(first_line(entry.reason))}</td>',
    )
    attributes = f'data-index="{number}" data-verdict="{entry.verdict}" data-cause="{escape(cause)}"'
    return f'<tr class="function" {attributes}>{"".join(cells)}</tr>'


def _function(entry: Entry, source: Source | None) -> str:
    """Write what is shown of a function when it is chosen."""
    at = entry.at or (None if entry.name else entry.line)
    stretches = [] if source is None else _stretches(entry)
    written = source_language(entry.file)
    shown = [code(_text(source, *lines), written, first=lines[0], at=at) for lines in stretches if source is not None]
    program = code(entry.program.rstrip("\n"), language(entry.target).name, first=1, of=_origins(entry.matches))
    panes = (
        _pane("Source", "".join(shown), "The file is not as it was when it was scanned, or cannot be read."),
        _pane("Program", program if entry.program else "", "There is no program."),
    )
    why = f"<p><b>Why:</b> {escape(entry.reason)}</p>" if entry.reason else ""
    remedy = f"<p><b>What must change:</b> {escape(entry.remedy)}</p>" if entry.remedy else ""
    return f'{why}{remedy}<div class="panes">{"".join(panes)}</div>'


def _pane(title: str, content: str, otherwise: str) -> str:
    shown = content or f'<p class="faint">{otherwise}</p>'
    return f'<section class="{title.lower()}"><h3>{title}</h3>{shown}</section>'


def _origins(matches: Iterable[Match]) -> dict[int, set[Range]]:
    """Tell by the lines of a program which of the source they compute."""
    found: dict[int, set[Range]] = {}
    for first, last, *lines in matches:
        for number in range(first, last + 1):
            found.setdefault(number, set()).add((lines[0], lines[1]))
    return found


def _stretches(entry: Entry) -> list[tuple[int, int | None]]:
    """List the lines of a function, and those of others that its program computes too; all of a file."""
    if not entry.name or entry.end is None:
        return [(entry.line if entry.name else 1, None)]
    found: list[tuple[int, int]] = []
    for first, last in sorted({(entry.line, entry.end), *((first, last) for *_, first, last in entry.matches)}):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return [*found]


def _text(source: Source, first: int, last: int | None) -> str:
    return "\n".join(source.lines[first - 1 : last]).rstrip("\n")


def _worth(found: tuple[Entry, int]) -> tuple[int, int, str, int, str]:
    """Order functions by what is to be won: loops that do not lift, loops that stay, loops that lift, no loops."""
    entry, length = found
    rank = 3 if entry.loops is False else 2 if entry.verdict in _LIFTED else 1 if entry.verdict is Verdict.HYBRID else 0
    return rank, -length, entry.file, entry.line, entry.name


def _length(entry: Entry, source: Source | None) -> int:
    """Count the lines of a function, or of a file that is refused as a whole; 0 where nobody knows."""
    if not entry.name:
        return 0 if source is None else len(source.lines)
    return 0 if entry.end is None else entry.end - entry.line + 1


def _read(file: str, sha256: str) -> Source | None:
    try:
        source = read_source(file)
    except LiftError:
        return None
    return source if source.sha256 == sha256 else None
