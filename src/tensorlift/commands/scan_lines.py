"""Where functions end in a source, and which of its lines a line of the program computes: what a report lights.

A program has cuts, statements after which a variable holds a definition (`ir.cut`).  The lines that end at one compute
that definition, and those that it is made of and that no variable holds; each comes from a loop nest of the source.
What stands after the last cut computes the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import loops_of
from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.interface import Lifting
    from tensorlift.ir.function import FunctionView
    from tensorlift.scanned import Match

_Lines = tuple[int, int]
_CLOSING = (")", "]", "}", "^")


def matches(lifting: Lifting) -> tuple[Match, ...]:
    """Pair stretches of the program with those of the source that they compute, first and last line of each."""
    summary, program = lifting.summary, lifting.emitted.text.splitlines()
    known = {definition.name: definition for definition in summary.definitions()}
    headers = {one.name: loop.reason.location for loop in loops_of(summary.items) for one in loop.carried}
    nests = _nests(lifting.view)
    cuts: dict[int, set[str]] = {}
    for cut in lifting.emitted.cuts:
        cuts.setdefault(cut.line, set()).add(cut.definition)
    held = set[str]().union(*cuts.values())

    def source_lines(names: Iterable[str]) -> Iterator[_Lines]:
        for name in names:
            if (header := headers.get(name)) is not None:
                yield header.line, header.line
            for one in summary.sources_of(known[name]) if name in known else ():
                if one.location in nests and (one.name == name or one.name not in held):
                    yield one.location.line, nests[one.location]

    found = set[tuple[int, int, int, int]]()
    at, end = _body(program, lifting.emitted.entry)
    for line in sorted(cuts):
        last = line if cuts[line] <= headers.keys() else _last_line(program, line)
        found.update((at, last, *lines) for lines in source_lines(cuts[line]))
        at = last + 1
    returned = {name for _, name in summary.outputs} | {summary.result or ""}
    found.update((at, end, *lines) for lines in source_lines(returned - held))
    return tuple(sorted(one for one in found if one[0] <= one[1]))


def _nests(view: FunctionView) -> dict[Location, int]:
    """Tell on which line each statement of the function's file ends: a loop or a branch with the last one inside."""
    found: dict[Location, int] = {}
    file = view.location.file if view.location is not None else ""
    for op in view.func_op.walk():
        inmost, around = location_of(op), op.parent_op()
        if inmost is None or inmost.file != file:
            continue
        found[inmost] = max(found.get(inmost, 0), inmost.line)
        while around is not None and around is not view.func_op:
            place = location_of(around)
            if place is not None and place.file == file:
                found[place] = max(found.get(place, 0), inmost.line)
            around = around.parent_op()
    return found


def _body(program: Sequence[str], entry: str) -> _Lines:
    """Find the body of the function that computes: from behind its head to the first line that is not indented."""
    head = re.compile(rf"(?<!\w){re.escape(entry)}\(")
    start = next((n for n, line in enumerate(program) if head.search(line)), 0)
    start = next((n for n in range(start, len(program)) if program[n].rstrip().endswith((":", "{"))), start) + 1
    end = next((n for n in range(start, len(program)) if program[n][:1].strip()), len(program))
    return start + 1, end


def _last_line(program: Sequence[str], line: int) -> int:
    """Find where the statement ends that starts on a line: what belongs to it is indented more, or closes it."""
    depth = _depth(program[line - 1])
    while line < len(program) and program[line].strip():
        text = program[line]
        if _depth(text) < depth or (_depth(text) == depth and not text.lstrip().startswith(_CLOSING)):
            break
        line += 1
    return line


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())
