"""Variables of a program where they are needed: declared at their first value, and none that only hands one on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.targets.c.text import Block, Holds, mentions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.targets.c.text import Line

_DECLARED = re.compile(r"(?P<type>\w[\w ]*) (?P<name>\w+) = (?P<value>.*);", re.DOTALL)
_COPIED = re.compile(r"(?P<name>\w+) = (?P<other>\w+);")
_ASSIGNED = re.compile(r"(?P<name>\w+) = (?P<value>.*);", re.DOTALL)


def tidied(lines: Sequence[Line], types: Mapping[str, str]) -> list[Line]:
    """Return the statements of a function with the declarations of its variables, of which ``types`` are given."""
    found = _without_copies(list(lines), types)
    for name, ctype in types.items():
        if mentions(found, name):
            found = _declared(found, name, ctype) or [f"{ctype} {name};", *found]
    return _returned(found)


def _without_copies(lines: list[Line], types: Mapping[str, str]) -> list[Line]:
    """Add up in a variable itself what is added up in another and then copied."""
    found = [_changed(line, lambda body: _without_copies(body, types)) for line in lines]
    for position, line in enumerate(found):
        declared = _DECLARED.fullmatch(line) if isinstance(line, str) else None
        if declared is None:
            continue
        own = declared["name"]
        for copy, name in _copies(found, own):
            is_free = types.get(name) == declared["type"] and not mentions(found[position + 1 : copy], name)
            if copy > position and is_free and not mentions(found[copy + 1 :], own):
                between = [_renamed(inner, own, name) for inner in found[position + 1 : copy]]
                start = f"{name} = {declared['value']};"
                return _without_copies([*found[:position], start, *between, *found[copy + 1 :]], types)
    return found


def _copies(lines: Sequence[Line], own: str) -> Iterator[tuple[int, str]]:
    """Yield where a variable is copied, and into which one."""
    for position, line in enumerate(lines):
        match = _COPIED.fullmatch(line) if isinstance(line, str) else None
        if match is not None and match["other"] == own:
            yield position, match["name"]


def _declared(lines: list[Line], name: str, ctype: str) -> list[Line] | None:
    """Declare a variable at its first value, in the innermost block that has all of its uses, if it starts with one."""
    using = [k for k, line in enumerate(lines) if mentions([line], name)]
    first = lines[using[0]]
    if isinstance(first, Block) and len(using) == 1 and not re.search(rf"\b{name}\b", first.header):
        inner = _declared(first.body, name, ctype)
        return None if inner is None else [*lines[: using[0]], Block(first.header, inner), *lines[using[0] + 1 :]]
    assigned = _ASSIGNED.fullmatch(first) if isinstance(first, str) else None
    if assigned is None or assigned["name"] != name or re.search(rf"\b{name}\b", assigned["value"]):
        return None
    return [*lines[: using[0]], f"{ctype} {first}", *lines[using[0] + 1 :]]


def _returned(lines: list[Line]) -> list[Line]:
    """Return a value at once that is only put into a variable to be returned."""
    statements = [line for line in lines if not isinstance(line, Holds)]
    declared, returned = ["", "", *statements][-2:]
    match = _DECLARED.fullmatch(declared) if isinstance(declared, str) else None
    if match is None or returned != f"return {match['name']};":
        return lines
    return [*lines[: lines.index(declared)], f"return {match['value']};"]


def _changed(line: Line, change: Callable[[list[Line]], list[Line]]) -> Line:
    return Block(line.header, change(line.body)) if isinstance(line, Block) else line


def _renamed(line: Line, old: str, new: str) -> Line:
    """Put one name for another in a statement and all inside of it."""
    if isinstance(line, Block):
        return Block(re.sub(rf"\b{old}\b", new, line.header), [_renamed(inner, old, new) for inner in line.body])
    return re.sub(rf"\b{old}\b", new, line) if isinstance(line, str) else line
