"""Names in C: those of the source where C allows them, short ones for loops and intermediate values.

Fixed text around programs in C, which the checker compares word by word.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tensorlift.targets.c.scalars import C_FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


ORIGINAL = "_original"  # behind the name of the source: the function as it was
PROGRAM = "_lifted"  # behind the name of the source: the program

APART = (
    "#ifndef TENSORLIFT_APART",
    "#define TENSORLIFT_APART",
    "static int apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)",
    "{",
    "  return (uintptr_t)a + a_bytes <= (uintptr_t)b || (uintptr_t)b + b_bytes <= (uintptr_t)a;",
    "}",
    "#endif",
)
CBLAS = "cblas.h"
HEADERS = ("limits.h", "math.h", "stddef.h", "stdint.h", "stdlib.h")  # of a program and the function around it
OWN_HEADERS = ("math.h", "stddef.h")  # of a program alone


_KEYWORDS = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "asm",
    "typeof", "size_t", "ptrdiff_t", "uintptr_t", "NULL", "INFINITY", "NAN", "INT_MAX", "malloc", "calloc", "free",
    "apart", "main",
}  # fmt: skip
_LOOPS = "ijklpq"
_DECLARATION = re.compile(r"\w[\w ]* (\w+)(?: = .*)?;")


class Names:
    """The names of one function; loops that stand beside each other have the same names."""

    def __init__(self, source: Iterable[str]) -> None:
        """Give each name of the source one in C."""
        self._taken = {*_KEYWORDS, *C_FUNCTIONS}
        self.spelled: dict[str, str] = {}
        for name in source:
            self.add(name)

    def add(self, name: str) -> str:
        """Take a name for good, with underscores behind it where C has it for itself."""
        spelled = name
        while spelled in self._taken:
            spelled += "_"
        self._taken.add(spelled)
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
            self._taken = before
