"""OpenMP in C programs: how a loop says that its iterations may run on several threads or side by side in vectors.

It is written and read here.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

from tensorlift.ir.structures import GUARD
from tensorlift.targets.c.cells import affine_text
from tensorlift.targets.c.scalars import ORDER, PRODUCT
from tensorlift.targets.c.text import APART, CBLAS, HEADERS, THREADS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ir.cut import Cut
    from tensorlift.poly.affine import Affine

FROM = 1 << 16  # iterations of the innermost loop; starting threads costs as much as some thousand
_ROWS = 8  # that a thread takes in turn, where later ones have more to do
START, VECTORS = "#pragma omp parallel for", "#pragma omp simd"
_SUM = r"\w+(?: [-+*] \w+)*"
_FACTOR = rf"(?:\w+|\({_SUM}\))"
_PRAGMA = re.compile(
    rf"\s*(?:{VECTORS}|{START}(?: simd)?(?: schedule\(static, [1-9]\d*\))?)"
    r"(?P<reductions>(?: reduction\([^():]+: \w+\))*)"
    rf"(?: if \((?:parallel: )?(?:{_SUM}|\(double\){_FACTOR}(?: \* {_FACTOR})+) > \d+\))?"
)
_PLACE = r"\w+(?:->\w+)?(?:\.\w+)*"
_PRODUCT = rf"\(double\){_PLACE}(?: \* {_PLACE})*"
LEAST = rf"(?:{_PLACE}|{_PRODUCT}(?: \+ {_PRODUCT})*)"  # sizes that are compared with a number of iterations
_REDUCTION = re.compile(r" reduction\(([^():]+): (\w+)\)")
_DIRECTIVES = {*(f"#include <{name}>" for name in (CBLAS, *HEADERS)), *APART, *THREADS}
_GUARD = re.compile(rf"#(?:ifndef|define) {GUARD}\w+")
_HIDING = re.compile(r"[\\#\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]|%:|\?\?|_Pragma")  # of lines, or directives


class PragmaError(Exception):
    """Raised for a line of a program that is no pragma of ours; ``line`` counts from 1."""

    def __init__(self, line: int, text: str) -> None:
        """Name the line."""
        super().__init__(f"'{text.strip()}' is no directive of a program's")
        self.line = line


def pragma(
    extents: Sequence[Affine], reductions: Mapping[str, str], *, uneven: bool, vectors: bool = False
) -> str | None:
    """Spell that the iterations of a loop are independent, where they are many; None where they are always few.

    ``extents`` are the numbers of iterations of the loop and of those in it; in an ``uneven`` one, they differ with its
    variable.  ``reductions`` are the variables in which the iterations add up, by operator.  With ``vectors`` several
    iterations run side by side on each thread.
    """
    factors = [affine_text(extent) for extent in extents if not extent.is_constant]
    threshold = FROM // max(prod(extent.constant for extent in extents if extent.is_constant), 1)
    if not factors and threshold:
        return None
    wide = "(double)" if len(factors) > 1 else ""
    number = " * ".join(factor.within(PRODUCT + 1 if wide else ORDER + 1) for factor in factors)
    test = f" if ({'parallel: ' * vectors}{wide}{number} > {threshold})" if factors else ""
    schedule = f" schedule(static, {_ROWS})" if uneven else ""
    return f"{START}{' simd' * vectors}{schedule}{_reduced(reductions)}{test}"


def vectors(reductions: Mapping[str, str]) -> str:
    """Spell that several iterations of a loop run side by side, however many they are."""
    return f"{VECTORS}{_reduced(reductions)}"


def _reduced(reductions: Mapping[str, str]) -> str:
    return "".join(f" reduction({operator}: {name})" for name, operator in reductions.items())


def with_pragmas(text: str, cuts: Sequence[Cut], pragmas: Mapping[int, str]) -> tuple[str, tuple[Cut, ...]]:
    """Put pragmas before the loops that start on lines of a text; the lines of cuts move with the text."""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if number in pragmas:
            lines.append(line[: len(line) - len(line.lstrip())] + pragmas[number])
        lines.append(line)
    moved = (cut._replace(line=cut.line + sum(number <= cut.line for number in pragmas)) for cut in cuts)
    return "\n".join(lines), tuple(moved)


def loops_with_pragmas(text: str) -> dict[int, dict[str, str]]:
    """Return the lines behind pragmas, where loops start, with the reductions of each.

    Raises:
        PragmaError: for any other pragma, and for what else could change which line is which.

    """
    found = {}
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        match, following = _PRAGMA.fullmatch(line), "".join(lines[number : number + 1])
        if match is not None and following.lstrip().startswith("for ("):
            found[number + 1] = {name: operator for operator, name in _REDUCTION.findall(match["reductions"])}
        elif _HIDING.search(line) and line not in _DIRECTIVES and not _GUARD.fullmatch(line):
            raise PragmaError(number, line)
    return found
