"""Lines of C: statements as a tree of blocks, printed with the lines after which arrays hold definitions.

Variables are declared at their first value, and none only hands one on.

Names in C: those of the source where C allows them, short ones for loops and intermediate values.

Fixed text around programs in C, which the checker compares word by word.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.ir.cut import Cut
from tensorlift.targets.c.scalars import C_FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


ORIGINAL = "_original"  # behind the name of the source: the function as it was
PROGRAM = "_lifted"  # behind the name of the source: the program

APART = (
    "#ifndef TENSORLIFT_APART",
    "#define TENSORLIFT_APART",
    "static int apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)",
    "{",
    "  return ((uintptr_t)a + a_bytes <= (uintptr_t)b) | ((uintptr_t)b + b_bytes <= (uintptr_t)a);",
    "}",
    "#endif",
)
THREADED = "on_threads()"
THREADS = (  # for programs that only threads make quicker: within a parallel region there are none more
    "#ifndef TENSORLIFT_THREADS",
    "#define TENSORLIFT_THREADS",
    "static int on_threads(void)",
    "{",
    "#ifdef _OPENMP",
    "  extern int omp_get_max_threads(void), omp_in_parallel(void);",
    "  return omp_get_max_threads() > 1 && !omp_in_parallel();",
    "#else",
    "  return 0;",
    "#endif",
    "}",
    "#endif",
)
SHARED = {"apart": APART, "on_threads": THREADS}  # functions that programs of one file have once
CBLAS = "cblas.h"
HEADERS = ("limits.h", "math.h", "stddef.h", "stdint.h", "stdlib.h")  # of a program and the function around it
OWN_HEADERS = ("math.h", "stddef.h")  # of a program alone


def is_of_blas(function: str) -> bool:
    """Whether a function may be a routine of BLAS, by its name in C or Fortran, so that BLAS would call it."""
    return function.startswith("cblas_") or function.endswith("_")


KEYWORDS = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "asm",
    "typeof", "size_t", "ptrdiff_t", "uintptr_t", "NULL", "INFINITY", "NAN", "INT_MAX", "malloc", "calloc", "free",
    "apart", "on_threads", "main",
}  # fmt: skip
_LOOPS = "ijklpq"
_DECLARATION = re.compile(r"\w[\w ]* (\w+)(?: = .*)?;")


class Names:
    """The names of one function; loops that stand beside each other have the same names."""

    def __init__(self, source: Iterable[str]) -> None:
        """Give each name of the source one in C."""
        self._taken = {*KEYWORDS, *C_FUNCTIONS}
        self._for_good: set[str] = set()
        self.spelled: dict[str, str] = {}
        for name in source:
            self.add(name)

    def add(self, name: str) -> str:
        """Take a name for good, with underscores behind it where C has it for itself."""
        spelled = name
        while spelled in self._taken:
            spelled += "_"
        self._taken.add(spelled)
        self._for_good.add(spelled)
        self.spelled[name] = spelled
        return spelled

    def fresh(self, wanted: str) -> str:
        """Take a name until the end of the scope; ``i``, ``j``, ... follow each other."""
        name = wanted
        if wanted in _LOOPS:
            name = next((c for c in _LOOPS[_LOOPS.index(wanted) :] if c not in self._taken), wanted)
        number = 1
        while name in self._taken:
            name, number = f"{wanted}{number}", number + 1
        self._taken.add(name)
        return name

    def keep(self, statements: Iterable[str]) -> None:
        """Take the names that statements declare, which stand in the block of the present scope."""
        self._taken.update(found[1] for line in statements if (found := _DECLARATION.match(line)) is not None)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Give names free again at the end."""
        before = set(self._taken)
        try:
            yield
        finally:
            self._taken = before | self._for_good


_INDENT = "  "
_WIDTH = 118


@dataclass(slots=True)
class Block:
    """Statements under a header such as ``for (...)``, in order."""

    header: str
    body: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Holds:
    """Here an array of the program holds a definition."""

    array: str
    definition: str


Line = str | Block | Holds


def print_lines(lines: Sequence[Line], first: int, depth: int = 1) -> tuple[list[str], list[Cut]]:
    """Print statements from a line number on, with the cuts that they mark."""
    texts: list[str] = []
    cuts: list[Cut] = []
    for line in lines:
        if isinstance(line, Holds):
            cuts.append(Cut(first + len(texts) - 1, line.array, line.definition))
        elif isinstance(line, str):
            texts += [_INDENT * depth + part for part in _wrapped(line, _WIDTH - len(_INDENT) * depth)]
        else:
            inner, found = print_lines(line.body, first + len(texts) + 1, depth + 1)
            is_single = len(inner) == 1 or (len(line.body) == 1 and isinstance(line.body[0], Block))
            texts.append(_INDENT * depth + line.header + ("" if is_single else " {"))
            texts += inner if is_single else [*inner, _INDENT * depth + "}"]
            cuts += found
    return texts, cuts


def mentions(lines: Sequence[Line], name: str) -> bool:
    """Tell whether statements have a name in them."""
    for line in lines:
        if isinstance(line, Block):
            if re.search(rf"\b{name}\b", line.header) or mentions(line.body, name):
                return True
        elif isinstance(line, str) and re.search(rf"\b{name}\b", line):
            return True
    return False


def _wrapped(line: str, width: int) -> Iterator[str]:
    """Break a long line at spaces outside of strings, of which there are none."""
    indent = ""
    while len(line) + len(indent) > width:
        place = line.rfind(" ", 0, width - len(indent))
        if place <= 0:
            break
        yield indent + line[:place]
        line, indent = line[place + 1 :], _INDENT * 2
    yield indent + line


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
