"""Text of MLIR that is gone over without being read: where an operation, an attribute or a comment ends.

Strings, comments and brackets are all that is known of it, so that it may be of any dialect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PIECE = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*"?)|(?P<space>(?:\s|//[^\n]*)+)|(?P<open>[({\[])|(?P<close>[)}\]])|(?P<word>[\w$.-]+)|.',
    re.DOTALL,
)
_GOES_ON = ("->", ":", ",", "=")  # behind these an operation does not end
_NAME = r"[\w$.-]+"
START = re.compile(
    rf"%{_NAME}(?::\d+)?\s*[,=](?!=)"  # results
    r'|"[a-zA-Z_][\w$]*\.[\w$.]+"\s*\('  # a generic form
    r"|[a-zA-Z_][\w$]*\.[a-zA-Z_][\w$.]*|func\s+(?:\w+\s+)?@"  # an operation by its name
    rf"|\^{_NAME}|[#!]{_NAME}\s*=|{{-#"  # a block, an alias, resources
)
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|^[ \t]*//[^\n]*\n?|[ \t]*//[^\n]*', re.MULTILINE)
_PAIRS = {"<": ">", "(": ")", "[": "]", "{": "}"}
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|->|[<>()\[\]{}]')


def end_of_operation(text: str, start: int, is_known: Callable[[str], bool]) -> int | None:
    """Find the end of an operation: that of a line outside of brackets, behind which something starts.

    ``is_known`` tells whether a word without a dialect before it is an operation.  None is given where brackets are
    not closed.
    """
    depth, end = 0, start
    for piece in _pieces(text, start):
        kind = piece.lastgroup
        if depth == 0 and end > start:
            if kind == "close":
                return end
            after = piece.end()
            if kind == "space" and "\n" in piece[0] and not text.endswith(_GOES_ON, start, end):
                word = re.compile(_NAME).match(text, after)
                if START.match(text, after) or (word and is_known(word[0])):
                    return end
        depth += (kind == "open") - (kind == "close")
        if kind != "space":
            end = piece.end()
    return end if depth == 0 else None


def end_of_bracket(text: str, start: int) -> int | None:
    """Find the place behind the bracket that closes the one at a place; None where none does."""
    open_ones: list[str] = []
    for found in _BRACKET.finditer(text, start):
        if found[0] in _PAIRS:
            open_ones.append(_PAIRS[found[0]])
        elif open_ones and found[0] == open_ones[-1]:
            open_ones.pop()
            if not open_ones:
                return found.end()
    return None


def without_comments(text: str) -> str:
    """Take comments out of a text, and the lines that hold nothing else."""
    return _COMMENT.sub(lambda found: found[1] or "", text)


def _pieces(text: str, start: int) -> Iterator[re.Match[str]]:
    return _PIECE.finditer(text, start)
