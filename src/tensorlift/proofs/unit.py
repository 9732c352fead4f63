"""The whole text of a program in C: known includes, the function that computes, and what stands around it.

Reading a function back says nothing of what stands beside it, which may change what it calls, or run by itself.  So
the text is taken apart into tokens, and all that is not known is refused: a name that the function does not declare, a
second definition, strings, comments, directives.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.proofs.failure import UNREADABLE, CheckFailure
from tensorlift.targets.c.pragmas import START, VECTORS
from tensorlift.targets.c.scalars import C_FUNCTIONS, C_TYPES
from tensorlift.targets.c.text import CBLAS, HEADERS, OWN_HEADERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_INCLUDES = frozenset(f"#include <{name}>" for name in (CBLAS, *HEADERS))
_TYPE_WORDS = frozenset(word for spelled in C_TYPES.values() for word in spelled.split()) | {"ptrdiff_t", "size_t"}
_QUALIFIERS = frozenset({"const", "restrict"})
_STATEMENTS = frozenset({"for", "while", "if", "else", "return"})
_CONSTANTS = frozenset({"INFINITY", "NAN", "NULL", "INT_MAX"})
_KNOWN = _TYPE_WORDS | _QUALIFIERS | _STATEMENTS | _CONSTANTS | {"sizeof"}
_EXTENTS = frozenset("*+-/()[],")  # signs of parameters and their extents
_TOKEN = re.compile(
    r"(?P<name>[A-Za-z_]\w*)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:f|U|L|UL)?(?![\w.]))"
    r"|(?P<sign><<=|>>=|[-+*/%&|^<>=!]=|<<|>>|&&|\|\||\+\+|--|[-+*/%&|^<>=!~?:;,.(){}\[\]])|(?P<space>\s+)",
    re.ASCII,
)
# Two tokens that together begin what no program has: comments, digraphs, attributes, blocks that are expressions.
_PAIRS = ("//", "/*", "<:", ":>", "<%", "%>", "[[", "({")
_HEAD = re.compile(rf"(static )?(void|{'|'.join(C_TYPES.values())}) (\w+)\((.*)\)", re.ASCII)
_PRAGMAS = (START, VECTORS)


class Unit(NamedTuple):
    """A program in C taken apart: what the function that computes returns, and the lines behind it with their place."""

    result: str
    rest: list[str]
    line: int


def read_unit(text: str, entry: str) -> Unit:
    """Take a program apart into includes, the function ``entry`` and the rest, each of known words alone.

    Raises:
        CheckFailure: where the text has anything else.

    """
    lines = text.split("\n")
    if lines.pop() or "" not in lines:
        raise CheckFailure(UNREADABLE, "the program is no text of whole lines")
    blank, opening = lines.index(""), lines.index("{") if "{" in lines else 0
    for number, line in enumerate(lines[:blank], 1):
        if line not in _INCLUDES or line in lines[: number - 1]:
            raise CheckFailure(UNREADABLE, f"'{line[:80]}' is no include of a program's", number)
    closing = lines.index("}") if "}" in lines else 0
    head = _HEAD.fullmatch(" ".join(line.strip() for line in lines[blank + 1 : opening]))
    if head is None or head[3] != entry or closing < opening:
        raise CheckFailure(UNREADABLE, f"the text does not begin with the function {entry}", blank + 2)
    rest = lines[closing + 1 :]
    if bool(head[1]) != bool(rest):
        raise CheckFailure(UNREADABLE, f"the function {entry} alone must be seen from outside, or what calls it")
    words = [*_tokens(lines[blank + 1 : closing + 1], blank + 2)]
    calls_blas = any(word.startswith("cblas_") and word != entry for word, _ in words)
    wanted = {*(HEADERS if rest else OWN_HEADERS), *([CBLAS] if calls_blas else [])}
    missing = {f"#include <{name}>" for name in wanted} - {*lines[:blank]}
    if missing:
        raise CheckFailure(UNREADABLE, f"{min(missing)} is missing", 1)
    start = next(k for k, (word, _) in enumerate(words) if word == "{")
    declared = _declared(words) - {entry}
    taken = declared & {*C_FUNCTIONS, *_CONSTANTS} | {entry for word, _ in words[start:] if word == entry}
    if taken:
        raise CheckFailure(UNREADABLE, f"{min(taken)} is declared anew", blank + 2)
    _check_words(words[:start], declared | {"static", "void", entry}, {entry})
    _check_signs(words[:start])
    _check_words(words[start:], declared | {"static"}, C_FUNCTIONS)
    _check_statics(words[start:])
    _check_blocks(words[start:])
    return Unit(head[2], rest, closing + 1)


def check_declarations(declarations: Sequence[str], line: int) -> set[str]:
    """Demand that parameters have known types, and extents that are sums and products of parameters; give their names.

    Raises:
        CheckFailure: where one has anything else.

    """
    words = [*_tokens([", ".join(declarations)], line)]
    declared = _declared(words)
    _check_words(words, declared | {"void"}, ())
    _check_signs(words)
    return declared


def _check_signs(words: Sequence[tuple[str, int]]) -> None:
    """Demand that extents of parameters are sums, products and quotients, which change nothing."""
    for word, line in words:
        if not word[0].isalnum() and word[0] != "_" and word not in _EXTENTS:
            raise CheckFailure(UNREADABLE, f"{word} in the parameters of a function", line)


def _tokens(lines: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    """Yield the words of lines that are no pragmas, each with its line."""
    for number, line in enumerate(lines, start):
        if line.lstrip().startswith(_PRAGMAS):
            continue  # compared as a whole where the loops are read
        place = 0
        if any(pair in line.replace(" ", "") for pair in _PAIRS):
            raise CheckFailure(UNREADABLE, f"'{line.strip()[:80]}' is more than loops and assignments", number)
        while place < len(line):
            match = _TOKEN.match(line, place)
            if match is None:
                raise CheckFailure(UNREADABLE, f"'{line[place:].strip()[:20]}' is no part of a program", number)
            if match["space"] is None:
                yield match[0], number
            place = match.end()


def _declared(words: Sequence[tuple[str, int]]) -> set[str]:
    """Return the names that stand behind types."""
    found, is_type = set(), False
    for word, _ in words:
        if is_type and _is_name(word) and word not in _TYPE_WORDS | _QUALIFIERS:
            found.add(word)
        is_type = word in _TYPE_WORDS or (is_type and word in {"*", "(", *_QUALIFIERS})
    return found


def _check_words(words: Sequence[tuple[str, int]], declared: Collection[str], functions: Collection[str]) -> None:
    """Demand that all names are declared or known, and that nothing is called but functions that are known."""
    for (word, line), (following, _) in itertools.pairwise([*words, ("", 0)]):
        if not _is_name(word) or word in _KNOWN or word.startswith("Cblas"):
            continue
        if following == "(":
            if word not in functions and not (functions and word.startswith("cblas_")):
                raise CheckFailure(UNREADABLE, f"a call of {word}, which the target does not have", line)
        elif word not in declared:
            raise CheckFailure(UNREADABLE, f"{word} is no word of a program's", line)


def _check_statics(words: Sequence[tuple[str, int]]) -> None:
    """Demand that what outlives a call is an array of constants."""
    for position, (word, line) in enumerate(words):
        rest = itertools.dropwhile(lambda other: other in _TYPE_WORDS, (w for w, _ in words[position + 1 :][1:]))
        if word == "static" and (words[position + 1][0] != "const" or [*itertools.islice(rest, 2)][1:] != ["["]):
            raise CheckFailure(UNREADABLE, "a static variable that is no array of constants", line)


def _check_blocks(words: Sequence[tuple[str, int]]) -> None:
    """Demand that the block that starts first is the whole."""
    depth = 0
    for position, (word, line) in enumerate(words, 1):
        depth += (word == "{") - (word == "}")
        if not depth and position < len(words):
            raise CheckFailure(UNREADABLE, "the function ends before its last line", line)
    if depth:
        raise CheckFailure(UNREADABLE, "the function does not end on its last line", words[-1][1])


def _is_name(word: str) -> bool:
    return word[0].isalpha() or word[0] == "_"
