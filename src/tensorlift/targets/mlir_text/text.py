"""The text of an MLIR function: its lines, with what is known in each region.

Values without names are numbers, in the order of the text, once all lines stand.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tensorlift.comprehension.domain import UNIVERSE, Domain, at_least
from tensorlift.ir.cut import Cut
from tensorlift.targets.emitted import Emitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.affine import Affine
    from tensorlift.ir.tensor_program import Parameter, TensorProgram

Value = TypeVar("Value")
INDENT = "  "
_NUMBER = re.compile(r"%(\d+)(?![\w$.])")
_NAME = re.compile(r"%([\w$.]+)")
_RESULTS = re.compile(r"\s*(?:%[^=(]* =|\^bb0\(.*)")


class Typed(Protocol):
    """A value by its name, with the sign before it, and its type."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def type(self) -> str:
        """The type as MLIR spells it."""


def names_and_types(values: Iterable[Typed]) -> tuple[str, str]:
    """Spell the names of values, and their types."""
    given = list(values)
    return ", ".join(value.name for value in given), ", ".join(value.type for value in given)


class Lines(Generic[Value]):
    """Lines under construction, with what values are known as in the regions around, and what holds there."""

    def __init__(self, context: Domain) -> None:
        self.lines: list[str] = []
        self._scopes: list[tuple[dict[object, Value], Domain]] = [({}, context)]

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append(INDENT * len(self._scopes) + text)

    def known(self, key: object) -> Value | None:
        """Return the value that is known here as something."""
        return next((known[key] for known, _ in reversed(self._scopes) if key in known), None)

    def remember(self, key: object, value: Value) -> Value:
        """Let a value be known in the region at hand."""
        self._scopes[-1][0][key] = value
        return value

    @contextmanager
    def inner(self, inside: Domain = UNIVERSE) -> Iterator[None]:
        """Add lines of a region, where the variables are inside a domain; what it defines is not known behind it."""
        self._scopes.append(({}, self._scopes[-1][1] & inside))
        yield
        self._scopes.pop()

    def holds(self, greater: Affine, lesser: Affine, *, anywhere: bool = False) -> bool:
        """Tell whether an expression is known not to be less than another one here, or ``anywhere``."""
        difference = greater - lesser
        if difference.is_constant:
            return difference.constant >= 0
        return self._scopes[0 if anywhere else -1][1].implies(at_least(difference, 0))


def function_emitted(  # noqa: PLR0913, PLR0917 - the parts of a function
    program: TensorProgram,
    parameters: Sequence[tuple[Parameter, str, str]],
    lines: Sequence[str],
    results: Sequence[str],
    cuts: Iterable[tuple[str, str]],
    names: Mapping[str, str],
) -> Emitted:
    """Return a function of parameters, each with its value and type, over lines that return values of ``results``.

    ``cuts`` are values, without the sign before them, with the definitions that they hold; some have ``names``.
    """
    listed = ", ".join(f"{name}: {kind}" for _, name, kind in parameters)
    gives = results[0] if len(results) == 1 else f"({', '.join(results)})"
    place = program.location
    comment = f"// Lifted from {place.file.rpartition('/')[2]}:{place.line}.\n" if place is not None else ""
    body = "\n".join([f"func.func @{program.name}({listed}) -> {gives} {{", *lines, "}"])
    text, known = _numbered(f"{comment}{body}\n", names)
    defined = {name: k for k, line in enumerate(text.splitlines(), 1) for name in _defined(line)}
    named = ((known.get(value, value), definition) for value, definition in cuts)
    placed = tuple(Cut(defined[name], name, definition) for name, definition in named if name in defined)
    return Emitted(text, program.name, placed, tuple(p for p, _, _ in parameters))


def _numbered(text: str, names: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Give values their names, and the others new numbers; return also the names by the old numbers."""
    known, numbers = dict(names), count()
    for found in _NUMBER.finditer(text):
        if found[1] not in known:
            known[found[1]] = str(next(numbers))
    return _NUMBER.sub(lambda found: f"%{known[found[1]]}", text), known


def _defined(line: str) -> Iterator[str]:
    """Yield the names that a line defines: its results, and what a loop hands on."""
    head = _RESULTS.match(line)
    yield from _NAME.findall(head[0]) if head else ()
    yield from re.findall(r"%([\w$.]+) = %", line.partition("iter_args(")[2])


def mentions(lines: Iterable[str], name: str) -> bool:
    """Tell whether lines have a name in them."""
    pattern = re.compile(rf"{re.escape(name)}(?![\w$.])")
    return any(pattern.search(line) for line in lines)


def without_unused(lines: Sequence[str], names: Iterable[str]) -> list[str]:
    """Leave out definitions of values that no other line mentions, and of those that only these mention."""
    kept, waiting = list(lines), list(names)
    while waiting:
        name = waiting.pop()
        using = [line for line in kept if mentions([line], name)]
        if len(using) == 1 and using[0].lstrip().startswith(f"{name} ="):
            kept.remove(using[0])
            waiting += [f"%{operand}" for operand in _NAME.findall(using[0])]
    return kept
