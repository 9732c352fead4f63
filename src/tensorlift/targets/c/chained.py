"""Programs in C for cases of a function, as one: where what a program needs does not hold, the next one is tried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.targets.c.text import ORIGINAL, PROGRAM

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ir.literal_function import Flag


_DEEPEST = 40  # how far parameters are indented at most


class _Parts(NamedTuple):
    """A program for a function: headers, itself, what it shares with others, and the function of the source."""

    headers: list[str]
    program: str
    shared: list[str]
    entry: str


def is_chainable(name: str, program: str) -> bool:
    """Tell whether a program checks what it needs, and else runs the original."""
    return f"{name}{ORIGINAL}(" in program


def chained(name: str, programs: Sequence[tuple[str, Mapping[str, Flag]]]) -> str:
    """Put programs for a function together, each with what flags are there; the last one may run the original.

    Raises:
        ValueError: where one has no original to run, or takes something else, or does not ask what its flags are.

    """
    parts = [_split(name, program, flags) for program, flags in programs]
    if len({part.entry.partition("\n")[0] for part in parts}) > 1:
        raise ValueError(f"the cases of {name} take different things")
    cases = [name, *(f"{name}_case_{number}" for number in range(2, len(parts) + 1))]
    lifted: dict[str, str] = {}  # the names of programs by their text
    functions: list[str] = []
    for position, part in [*enumerate(parts)][::-1]:  # those that are called first
        case, later = cases[position], [*cases[1:], f"{name}{ORIGINAL}"][position]
        if part.program not in lifted:
            lifted[part.program] = f"{case}{PROGRAM}"
            functions.append(_program(part.program, f"{name}{PROGRAM}", lifted[part.program]))
        own = {name: case, f"{name}{ORIGINAL}": later, f"{name}{PROGRAM}": lifted[part.program]}
        functions.append(f"{'static ' if position else ''}{_renamed(part.entry, own)}")
    headers = sorted({line for part in parts for line in part.headers})
    shared = dict.fromkeys(block for part in parts for block in part.shared)
    return "\n\n".join(["\n".join(headers), *shared, *functions]) + "\n"


def _split(name: str, program: str, flags: Mapping[str, Flag]) -> _Parts:
    blocks = program.rstrip("\n").split("\n\n")
    if not is_chainable(name, program) or len(blocks) < len(_Parts._fields):
        raise ValueError(f"the program of {name} has no original to run")
    headers, lifted, *shared, entry = blocks
    for flag in flags.items():
        entry = _asking(entry, *flag)
    return _Parts(headers.splitlines(), lifted, shared, entry)


def _asking(entry: str, name: str, flag: Flag) -> str:
    """Let a function ask whether a flag is any number of a case, where it asks for one of them."""
    place = name.replace("_", r"(?:_|\.|->)")  # of a member of a structure
    test = rf"(if \(|&& )((?:\(ptrdiff_t\))?{place}) (?:==|<=|>=) {int(flag.number)}(?=\n|\) \{{)"
    found, count = re.subn(
        test,
        lambda asked: asked[1] + " && ".join(_tests(asked[2], flag)) if flag.others else asked[0],
        entry,
    )
    if count != 1:
        raise ValueError(f"the program does not ask what {name} is")
    return found


def _tests(place: str, flag: Flag) -> list[str]:
    bounds = (f"{place} {relation} {end}" for relation, end in flag.bounds)
    return [*bounds, *(f"{place} != {int(number)}" for number in sorted(flag.others))]


def _program(text: str, name: str, other: str) -> str:
    """Give a program another name, its parameters below each other as before."""
    head, start, body = text.partition("\n{\n")
    depth = head.index("(") + 1
    deeper = " " * (min(depth + len(other) - len(name), _DEEPEST) - min(depth, _DEEPEST))
    return _renamed(head.replace("\n", f"\n{deeper}"), {name: other}) + start + body


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Give functions other names, which no variable of a program has, but members and tags may have."""
    return re.sub(r"(?<!\.)(?<!->)(?<!struct )\b\w+", lambda word: names.get(word[0], word[0]), text)
