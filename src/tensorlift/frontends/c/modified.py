"""Which variables a loop assigns and names, found once for each loop from its syntax."""

from __future__ import annotations

from dataclasses import dataclass

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.mapped import children, expressions_of


class ModifiedVariables:
    """The variables that a loop assigns or declares, and those that it names; nested loops are read once."""

    def __init__(self) -> None:
        self._assigned: dict[nodes.Loop, set[nodes.Variable]] = {}
        self._used: dict[nodes.Loop, dict[nodes.Variable, None]] = {}

    def of(self, loop: nodes.Loop) -> set[nodes.Variable]:
        """Collect the variables that one iteration may assign."""
        self._read(loop)
        return self._assigned[loop]

    def used(self, loop: nodes.Loop) -> dict[nodes.Variable, None]:
        """Collect the variables that a loop names, in the order in which they occur; its start is not part of it."""
        self._read(loop)
        return self._used[loop]

    def _read(self, loop: nodes.Loop) -> None:
        if loop in self._used:
            return
        found = _Found(self._assigned.setdefault(loop, set()), self._used.setdefault(loop, {}))
        for expression in expressions_of(loop):
            found.expression(expression)
        self._statement(loop.body, found)

    def _statement(self, statement: nodes.Statement, found: _Found) -> None:
        if isinstance(statement, nodes.Loop):
            if statement.initial is not None:
                self._statement(statement.initial, found)
            found.assigned.update(self.of(statement))
            found.used.update(self.used(statement))
            return
        if isinstance(statement, nodes.Declare):
            found.assigned.add(statement.variable)
        for expression in expressions_of(statement):
            found.expression(expression)
        for inner in nodes.parts(statement, nodes.STATEMENTS):
            self._statement(inner, found)


@dataclass(frozen=True, slots=True)
class _Found:
    """The variables that were found so far, those that are named in the order in which they occur."""

    assigned: set[nodes.Variable]
    used: dict[nodes.Variable, None]

    def expression(self, expression: nodes.Expression) -> None:
        """Add the variables of an expression."""
        work = [expression]
        while work:
            node = work.pop()
            if isinstance(node, nodes.Name):
                self.used[node.variable] = None
                continue
            self.assigned.update(assigned_by(node))
            work.extend(reversed(children(node)))


def assigned_in(expression: nodes.Expression) -> list[nodes.Variable]:
    """List the variables that an expression assigns."""
    found = _Found(set(), {})
    found.expression(expression)
    return sorted(found.assigned, key=lambda variable: variable.location)


def assigned_in_statement(statement: nodes.Statement) -> set[nodes.Variable]:
    """Collect the variables that a statement assigns or declares."""
    whole = nodes.Loop("for", None, None, None, statement, statement.location)
    return ModifiedVariables().of(whole)


def has_effects(expression: nodes.Expression) -> bool:
    """Whether an expression assigns anything or calls a function of the file."""
    work = [expression]
    while work:
        node = work.pop()
        if nodes.changed_by(node) is not None:
            return True
        work.extend(children(node))
    return False


def assigned_by(node: nodes.Expression) -> tuple[nodes.Variable, ...]:
    """List the variables that a node itself assigns or steps."""
    target = nodes.changed_by(node)
    if target is None:
        return node.callee.writes if isinstance(node, nodes.Call) and node.callee is not None else ()
    target = nodes.without_casts(target)
    return (target.variable,) if isinstance(target, nodes.Name) else ()
