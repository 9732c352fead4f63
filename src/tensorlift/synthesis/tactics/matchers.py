"""Matchers for Python: the shape of a definition, its operations and its accesses, without a builder.

    matcher = Matcher(assign(access("C", "i", "j"), "+=", op("mul", access("A", "i", "k"), access("B", "k", "j"))))
    for match in matcher.matches(definition):
        match.arrays["A"], match.axes["k"]

Subscripts are texts as in TDL: ``"s * i + k"`` has the factor placeholder ``s``, ``"i..."`` is a group.  `Nest` looks
at the shape alone, and asks a callback about what is inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.terms import Reduce
from tensorlift.diagnostics import Location
from tensorlift.synthesis.tactics.load import check_pattern
from tensorlift.synthesis.tactics.matching import matches, opened
from tensorlift.synthesis.tactics.meaning import pattern_of
from tensorlift.synthesis.tactics.reader import Reader
from tensorlift.synthesis.tactics.syntax import Call, Cell, Condition, Expression, Name, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.terms import Term
    from tensorlift.synthesis.tactics.matching import Match

_FILE = "<matcher>"


def access(array: str, *subscripts: str) -> Cell:
    """Return the access matcher of an array at subscripts."""
    return Cell(array, tuple(Reader(text, _FILE).subscript() for text in subscripts))


def op(name: str, *args: Expression | str) -> Call:
    """Return the operation matcher of a scalar function, commutative where the function is; texts are scalars."""
    return Call(name, tuple(Name(a) if isinstance(a, str) else a for a in args))


def assign(target: Cell, sign: str, value: Expression, *conditions: Condition) -> Statement:
    """Return the matcher of a statement: indices of the value that the target lacks are folded over."""
    return Statement(target, sign, value, conditions)


class Matcher:
    """Matches definitions that compute what statements compute, whatever the loops were."""

    def __init__(self, *statements: Statement) -> None:
        """Take statements, the last of which assigns the result.

        Raises:
            LiftError: TL322 or TL323, where their names do not fit together.

        """
        check_pattern(statements, Location(_FILE, 1, 1))
        self.pattern = pattern_of(statements)

    @staticmethod
    def of(text: str) -> Matcher:
        """Return the matcher of statements in TDL."""
        return Matcher(*Reader(text, _FILE).statements())

    def matches(self, definition: Definition) -> Iterator[Match]:
        """Yield the ways in which a definition of one piece matches."""
        if len(definition.pieces) == 1:
            yield from matches(self.pattern, definition.pieces[0][1], definition.indices)


@dataclass(frozen=True)
class Nest:
    """A shape: so many loops over cells, then folds from the outside in; ``inside`` is asked about the innermost value.

    What is None is not looked at.
    """

    loops: int | None = None
    folds: tuple[str, ...] | None = None
    inside: Callable[[Term], bool] | None = None

    def accepts(self, definition: Definition) -> bool:
        """Tell whether a definition of one piece has the shape."""
        if len(definition.pieces) > 1 or self.loops not in (None, len(definition.indices)):
            return False
        term, found = opened(definition.pieces[0][1]), []
        while isinstance(term, Reduce):
            found += [term.op] * len(term.bound)
            term = term.body
        if self.folds not in (None, tuple(found)):
            return False
        return self.inside is None or self.inside(term)
