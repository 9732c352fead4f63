"""The syntax of TDL, the language of tactics: words, subscripts, expressions and statements.

    C(i, j) += alpha * A(i, k) * B(k, j) where k <= i
    y(i) += A(i, k) * x(k) as linalg.matvec

Names with parentheses are arrays, or scalar functions; other names are scalars.  A subscript is a sum of indices with
constant factors, or with factors that are placeholders (``s * i + k``); ``i...`` stands for any number of indices.
What stands after ``as`` is the operation that a module gets for the statement.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from tensorlift.diagnostics import Location

RELATIONS = ("<", "<=", ">", ">=", "==")
ASSIGNMENTS = ("=", "+=", "-=", "max=", "min=")
INFIX = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_SIGNS = {op: sign for sign, op in INFIX.items()}
_PRECEDENCE = {"add": 1, "sub": 1, "mul": 2, "div": 2, "neg": 3}
GROUP = "..."


class Subscript(NamedTuple):
    """``constant + sum(factor * index)``; a factor that is a name is a placeholder."""

    terms: tuple[tuple[int | str, str], ...]
    constant: int = 0

    @property
    def only(self) -> str | None:
        """The index, where the subscript is just one."""
        plain = len(self.terms) == 1 and self.terms[0][0] == 1 and not self.constant
        return self.terms[0][1] if plain else None

    def __str__(self) -> str:
        """Spell the subscript."""
        text = ""
        for factor, name in self.terms:
            sign = ("-" if not text else " - ") if isinstance(factor, int) and factor < 0 else (" + " if text else "")
            size = abs(factor) if isinstance(factor, int) else factor
            text += f"{sign}{name}" if size == 1 else f"{sign}{size} * {name}"
        if not text:
            return str(self.constant)
        return f"{text} {'+' if self.constant > 0 else '-'} {abs(self.constant)}" if self.constant else text


def plain(name: str) -> Subscript:
    """Return the subscript that is one index."""
    return Subscript(((1, name),))


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: Fraction

    def __str__(self) -> str:
        """Spell the number; decimal fractions only are written in the language."""
        return str(self.value) if self.value.denominator == 1 else repr(float(self.value))


@dataclass(frozen=True)
class Name:
    """A scalar."""

    name: str
    place: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """Spell the name."""
        return self.name


@dataclass(frozen=True)
class Cell:
    """A cell of an array."""

    array: str
    subscripts: tuple[Subscript, ...]
    place: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """Spell the cell."""
        return f"{self.array}({', '.join(map(str, self.subscripts))})"

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices in their order, each once."""
        return tuple(dict.fromkeys(name for s in self.subscripts for _, name in s.terms))


@dataclass(frozen=True)
class Call:
    """A scalar function on operands."""

    op: str
    args: tuple[Expression, ...]

    def __str__(self) -> str:
        """Spell infix operations with as few parentheses as they need."""
        own = _PRECEDENCE.get(self.op)
        if own is None:
            return f"{self.op}({', '.join(map(str, self.args))})"
        if self.op == "neg":
            return f"-{_bracketed(self.args[0], own)}"
        return f"{_bracketed(self.args[0], own)} {_SIGNS[self.op]} {_bracketed(self.args[1], own + 1)}"


Expression = Number | Name | Cell | Call


def _bracketed(item: Expression, least: int) -> str:
    if isinstance(item, Number) and item.value < 0:
        return f"({item})"
    tight = not isinstance(item, Call) or _PRECEDENCE.get(item.op, 4) >= least
    return str(item) if tight else f"({item})"


@dataclass(frozen=True)
class Condition:
    """A comparison of sums of indices."""

    left: Subscript
    relation: str
    right: Subscript

    def __str__(self) -> str:
        """Spell the comparison."""
        return f"{self.left} {self.relation} {self.right}"

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices that are compared."""
        return tuple(dict.fromkeys(name for side in (self.left, self.right) for _, name in side.terms))


@dataclass(frozen=True)
class Fusion:
    """``f = a * c``: one index that runs over the pairs of others."""

    index: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        """Spell the fusion."""
        return f"{self.index} = {' * '.join(self.parts)}"


@dataclass(frozen=True)
class Spelling:
    """``as vec.axpy(alpha, x, y)``: an operation, or a function ``@f``, on arrays and scalars of the statement."""

    operation: str
    operands: tuple[str, ...] = ()
    place: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """Spell the clause."""
        return f"as {self.operation}({', '.join(self.operands)})" if self.operands else f"as {self.operation}"


@dataclass(frozen=True)
class Statement:
    """``target op value where conditions``; indices of the value that the target lacks are folded over."""

    target: Cell
    op: str
    value: Expression
    conditions: tuple[Condition, ...] = ()
    fusions: tuple[Fusion, ...] = ()
    spelling: Spelling | None = None

    def __str__(self) -> str:
        """Spell the statement."""
        text = f"{self.target} {self.op} {self.value}"
        rest = ", ".join(map(str, (*self.fusions, *self.conditions)))
        return " ".join([text, *([f"where {rest}"] if rest else []), *([str(self.spelling)] if self.spelling else [])])


@dataclass(frozen=True)
class Definition:
    """A tactic as it is written; without statements of its own the builder computes the pattern.

    ``levels`` are the operations of a module that it is for, with their places; none: loops.
    """

    name: str
    pattern: tuple[Statement, ...]
    builder: tuple[Statement, ...]
    place: Location
    levels: tuple[Spelling, ...] = ()


def _leaves(item: Expression) -> tuple[Expression, ...]:
    return tuple(leaf for arg in item.args for leaf in _leaves(arg)) if isinstance(item, Call) else (item,)


def cells_of(item: Expression) -> tuple[Cell, ...]:
    """Return the cells that an expression reads, in order, repetitions included."""
    return tuple(leaf for leaf in _leaves(item) if isinstance(leaf, Cell))


def names_of(item: Expression) -> tuple[Name, ...]:
    """Return the scalars that an expression reads, in order."""
    return tuple(leaf for leaf in _leaves(item) if isinstance(leaf, Name))


def indices_of(item: Expression) -> tuple[str, ...]:
    """Return the indices of the cells that an expression reads, in order, each once."""
    return tuple(dict.fromkeys(index for cell in cells_of(item) for index in cell.indices))


def folded(statement: Statement) -> tuple[str, ...]:
    """Return the indices that a statement folds over; an index that stands for several counts as those."""
    parts = {fusion.index: fusion.parts for fusion in statement.fusions}
    kept = {p for i in statement.target.indices for p in parts.get(i, (i,))}
    read = (p for i in indices_of(statement.value) for p in parts.get(i, (i,)))
    return tuple(dict.fromkeys(p for p in read if p not in kept))


def given_arrays(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the arrays whose values before matter, in order: those read, or added to, before they are assigned."""
    found: dict[str, None] = {}
    assigned: set[str] = set()
    result = statements[-1].target.array
    for statement in statements:
        read = [c.array for c in cells_of(statement.value)]
        read += [result] if statement.target.array == result and (statement.op != "=" or statement.conditions) else []
        found.update(dict.fromkeys(array for array in read if array not in assigned))
        assigned.add(statement.target.array)
    return tuple(found)
