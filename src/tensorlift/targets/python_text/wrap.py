"""Wrapping: statements longer than a line are broken as the usual Python formatter breaks them.

A long right-hand side is broken inside its last bracket, or, where operators join it, before each operator of the
lowest precedence inside parentheses; a bracket whose content fits no line gets one element on each line.

Guards as text: statements at the top of an emitted NumPy function that raise where a condition does not hold.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.contract.language import INTEGER, OPPOSITE, AnyOf, Compare, Inside, IsArray, IsScalar, Separate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.contract.language import Condition, Guard
    from tensorlift.targets.emitted import Emitted


WIDTH = 88
_INDENT = "    "
_OPENING, _CLOSING = "([{", ")]}"
_BLOT = "_"
# Clauses, the choice between two values and binary operators, loosest first; each group breaks together.
_OPERATORS = [re.compile(f" (?:{group}) ") for group in (
    "for", "if|else", "or", "and", "==|!=|<|<=|>|>=", r"\|", r"\^", "&", "<<|>>", r"\+|-", r"\*|/|//|%|@")]  # fmt: skip


class Bracket(NamedTuple):
    """Positions of a bracket pair."""

    start: int
    end: int


def wrapped(head: str, value: str, indent: str) -> list[str]:
    """Return the lines of a statement ``head value``, such as ``x = a + b`` or ``return x``."""
    line = f"{head}{value}"
    if len(indent + line) <= WIDTH:
        return [indent + line]
    parts = split_operators(value)
    hugging = len(parts) == 2 and (value[-1] == ")" or value[0] == "(")  # noqa: PLR2004 - one operator
    if parts and not hugging:
        return [f"{indent}{head}(", *_body(value, indent + _INDENT), f"{indent})"]
    return _in_bracket(line, indent, of_any_kind=hugging)


def _body(text: str, indent: str) -> list[str]:
    """Return an expression inside brackets of its own, broken before operators where it is too long."""
    if len(indent + text) <= WIDTH:
        return [indent + text]
    parts = split_operators(text)
    if not parts:
        return _in_bracket(text, indent)
    return [line for part in parts for line in _part(part, indent)]


def _part(text: str, indent: str) -> list[str]:
    return [indent + text] if len(indent + text) <= WIDTH else _in_bracket(text, indent)


def _in_bracket(text: str, indent: str, *, of_any_kind: bool = False) -> list[str]:
    """Break inside the last bracket whose head fits a line, of a call if there is one."""
    brackets = _brackets(text)
    if not brackets:
        return [indent + text]
    calls = [] if of_any_kind else [b for b in brackets if text[b.start] == "("]
    chosen = calls or brackets
    bracket = next((b for b in reversed(chosen) if len(indent) + b.start < WIDTH), chosen[-1])
    opening, inside, closing = text[: bracket.start + 1], text[bracket.start + 1 : bracket.end], text[bracket.end :]
    elements = split_commas(inside)
    inner = indent + _INDENT
    if len(inner + inside) <= WIDTH:
        lines = [inner + inside]
    elif len(elements) == 1:
        lines = _body(inside, inner)
    else:
        lines = [line for element in elements for line in _element(element, inner)]
    return [indent + opening, *lines, *_after_bracket(closing, indent)]


def _after_bracket(text: str, indent: str) -> list[str]:
    """Return what starts with a closing bracket, broken again where it is too long."""
    if len(indent + text) <= WIDTH:
        return [indent + text]
    first, *rest = _in_bracket(_BLOT + text[1:], indent)
    return [indent + text[0] + first.removeprefix(indent + _BLOT), *rest]


def _element(text: str, indent: str) -> list[str]:
    """Return one element of a broken bracket, with its comma."""
    if len(indent + text) + 1 <= WIDTH:
        return [f"{indent}{text},"]
    lines = _body(text, indent)
    return [*lines[:-1], lines[-1] + ","]


def _brackets(text: str) -> list[Bracket]:
    """Return the outermost bracket pairs that have content."""
    depth, start = 0, 0
    found: list[Bracket] = []
    for position, character in enumerate(text):
        if character in _OPENING:
            if depth == 0:
                start = position
            depth += 1
        elif character in _CLOSING:
            depth -= 1
            if depth == 0 and position > start + 1:
                found.append(Bracket(start, position))
    return found


def split_commas(text: str) -> list[str]:
    """Split at the commas outside every bracket and string."""
    commas = [found.start() for found in re.finditer(", ", _outside(text))]
    return [part.removeprefix(",").strip() for part in _split(text, commas)]


def split_operators(text: str) -> list[str]:
    """Split before the loosest binary operators outside every bracket; empty where there is none."""
    outside = _outside(text)
    for group in _OPERATORS:
        found = [operator.start() for operator in group.finditer(outside)]
        if found:
            return [part.strip() for part in _split(text, found)]
    return []


def _split(text: str, positions: list[int]) -> list[str]:
    return [text[start:end] for start, end in pairwise([0, *positions, len(text)])]


def _outside(text: str) -> str:
    """Return a text of the same length in which brackets and strings, with what is in them, are blotted out."""
    kept, depth, quoted = [], 0, ""
    for character in text:
        if quoted:
            quoted = "" if character == quoted else quoted
        elif character in "'\"":
            quoted = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif depth == 0:
            kept.append(character)
            continue
        kept.append(_BLOT)
    return "".join(kept)


_MOST_WORK = 1000  # to decide whether two arrays overlap; what takes more counts as an overlap


def guarded(emitted: Emitted, guards: Sequence[Guard]) -> Emitted:
    """Return a program with guards at the top of its function, after the docstring."""
    lines = emitted.text.splitlines()
    function = next(
        f for f in ast.parse(emitted.text).body if isinstance(f, ast.FunctionDef) and f.name == emitted.entry
    )
    first = function.body[1] if ast.get_docstring(function) is not None else function.body[0]
    at = first.lineno - 1
    added = [line for guard in guards for line in _lines(guard)]
    cuts = tuple(cut._replace(line=cut.line + len(added)) if cut.line > at else cut for cut in emitted.cuts)
    return replace(emitted, text="\n".join([*lines[:at], *added, *lines[at:]]) + "\n", cuts=cuts)


def _lines(guard: Guard) -> Iterator[str]:
    *lines, last = wrapped("if ", _violation(guard.condition), _INDENT)
    yield from (*lines, f"{last}:")
    line = f'{_INDENT * 2}raise ValueError("{guard.message}")'
    if len(line) <= WIDTH:
        yield line
    else:
        yield from (f"{_INDENT * 2}raise ValueError(", f'{_INDENT * 3}"{guard.message}"', f"{_INDENT * 2})")


def _violation(condition: Condition) -> str:
    """Spell when a condition does not hold."""
    match condition:
        case IsArray(name, dtype, rank):
            element = f"np.{dtype}" if dtype != "bool" else "np.bool_"
            return f"not (isinstance({name}, np.ndarray) and {name}.dtype == {element} and {name}.ndim == {rank})"
        case IsScalar(name, kind):
            return f"not isinstance({name}, (int, np.integer))" if kind == INTEGER else f"np.ndim({name}) != 0"
        case Compare(left, relation, right):
            return f"{left} {OPPOSITE[relation]} {right}"
        case AnyOf():
            return f"not ({condition})"
        case Inside():
            return f"(({condition.place} < 0) | ({condition.place} >= {condition.limit})).any()"
        case Separate(array, (other,), or_same):
            overlap = f"np.may_share_memory({array}, {other}, max_work={_MOST_WORK})"
            return f"{overlap} and {_place(array)} != {_place(other)}" if or_same else overlap
    raise ValueError(f"no guard checks that {condition}")


def _place(array: str) -> str:
    return f"({array}.ctypes.data, {array}.strides)"
