"""Which variables statements read before they write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.mapped import expressions_of, names_in

if TYPE_CHECKING:
    from collections.abc import Iterable

_Variables = frozenset[nodes.Variable]


def read_first(statements: Iterable[nodes.Statement], variables: Iterable[nodes.Variable]) -> set[nodes.Variable]:
    """Return those of some variables that statements may read before they write them for certain."""
    found = _Reads(frozenset(variables))
    found.after_all(statements, frozenset())
    return found.read


class _Reads:
    """The variables that are read before they are written; the methods return what is written for certain."""

    def __init__(self, variables: _Variables) -> None:
        self._variables = variables
        self.read: set[nodes.Variable] = set()

    def after_all(self, statements: Iterable[nodes.Statement], written: _Variables) -> _Variables:
        """Read statements that follow each other."""
        for statement in statements:
            written = self._after(statement, written)
        return written

    def _after(self, statement: nodes.Statement, written: _Variables) -> _Variables:
        match statement:
            case nodes.Block(statements=statements):
                return self.after_all(statements, written)
            case nodes.Loop():
                return self._loop(statement, written)
            case nodes.Unsupported(kind="break"):
                return written  # what is behind it in the loop writes nothing for certain
            case nodes.Unsupported() | nodes.Settle() | nodes.Agree():
                self.read |= self._variables - written
                return written
            case nodes.Evaluate(expression=nodes.Assign(operator="", target=nodes.Name(variable=target), value=value)):
                self._note(value, written)
                return written | {target}
        for expression in expressions_of(statement):
            self._note(expression, written)
        match statement:
            case nodes.Declare(variable=variable):
                return written | {variable}
            case nodes.If(then=then, otherwise=otherwise):
                other = written if otherwise is None else self._after(otherwise, written)
                return self._after(then, written) & other
            case nodes.Return():
                return self._variables  # nothing follows
        return written

    def _loop(self, loop: nodes.Loop, written: _Variables) -> _Variables:
        if loop.initial is not None:
            written = self._after(loop.initial, written)
        if loop.condition is not None and loop.keyword != "do":
            self._note(loop.condition, written)
        within = self._after(loop.body, written)
        for expression in expressions_of(loop):
            self._note(expression, within)
        return written

    def _note(self, expression: nodes.Expression, written: _Variables) -> None:
        self.read |= (names_in(expression) & self._variables) - written
