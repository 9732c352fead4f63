"""Guards as text: statements at the top of an emitted NumPy function that raise where a condition does not hold."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.contract.language import INTEGER, OPPOSITE, AnyOf, Compare, Inside, IsArray, IsScalar, Separate
from tensorlift.targets.python_text.wrap import WIDTH, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.contract.language import Condition, Guard
    from tensorlift.targets.emitted import Emitted

_INDENT = "    "
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
