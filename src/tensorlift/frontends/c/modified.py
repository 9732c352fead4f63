"""Which variables a statement assigns, found once for each loop from its syntax."""

from __future__ import annotations

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.demand import children


class ModifiedVariables:
    """The variables that a loop assigns or declares, remembered by loop; nested loops are read once."""

    def __init__(self) -> None:
        self._known: dict[nodes.Loop, set[nodes.Variable]] = {}
        self._used: dict[nodes.Loop, dict[nodes.Variable, None]] = {}

    def of(self, loop: nodes.Loop) -> set[nodes.Variable]:
        """Collect the variables that one iteration may assign."""
        known = self._known.get(loop)
        if known is None:
            known = self._known[loop] = set()
            for expression in (loop.condition, loop.advance):
                if expression is not None:
                    _expression(expression, known)
            self._statement(loop.body, known)
        return known

    def used(self, loop: nodes.Loop) -> dict[nodes.Variable, None]:
        """Collect the variables that a loop names, in the order in which they occur; its start is not part of it."""
        known = self._used.get(loop)
        if known is None:
            known = self._used[loop] = {}
            for expression in (loop.condition, loop.advance):
                _names(expression, known)
            self._names_in(loop.body, known)
        return known

    def _names_in(self, statement: nodes.Statement | None, found: dict[nodes.Variable, None]) -> None:
        match statement:
            case nodes.Block(statements=statements):
                for child in statements:
                    self._names_in(child, found)
            case nodes.Declare(variable=variable):
                for expression in (*variable.extents, variable.initialiser):
                    _names(expression, found)
            case nodes.Evaluate(expression=expression) | nodes.Return(value=expression):
                _names(expression, found)
            case nodes.If(condition=condition, then=then, otherwise=otherwise):
                _names(condition, found)
                self._names_in(then, found)
                self._names_in(otherwise, found)
            case nodes.Loop():
                self._names_in(statement.initial, found)
                found.update(self.used(statement))

    def _statement(self, statement: nodes.Statement, found: set[nodes.Variable]) -> None:
        match statement:
            case nodes.Block(statements=statements):
                for child in statements:
                    self._statement(child, found)
            case nodes.If(condition=condition, then=then, otherwise=otherwise):
                _expression(condition, found)
                self._statement(then, found)
                if otherwise is not None:
                    self._statement(otherwise, found)
            case nodes.Loop():
                if statement.initial is not None:
                    self._statement(statement.initial, found)
                found |= self.of(statement)
            case nodes.Declare() | nodes.Evaluate() | nodes.Return():
                _simple(statement, found)


def _simple(statement: nodes.Declare | nodes.Evaluate | nodes.Return, found: set[nodes.Variable]) -> None:
    """Add what a statement without statements inside assigns."""
    if isinstance(statement, nodes.Declare):
        found.add(statement.variable)
        expression = statement.variable.initialiser
    else:
        expression = statement.expression if isinstance(statement, nodes.Evaluate) else statement.value
    if expression is not None:
        _expression(expression, found)


def assigned_in(expression: nodes.Expression) -> list[nodes.Variable]:
    """List the variables that an expression assigns."""
    found: set[nodes.Variable] = set()
    _expression(expression, found)
    return sorted(found, key=lambda variable: variable.location)


def has_effects(expression: nodes.Expression) -> bool:
    """Whether an expression assigns anything or calls a function of the file."""
    work = [expression]
    while work:
        node = work.pop()
        if isinstance(node, nodes.Assign) or (isinstance(node, nodes.Unary) and len(node.operator) > 1):
            return True
        work.extend(children(node))
    return False


def _names(expression: nodes.Expression | None, found: dict[nodes.Variable, None]) -> None:
    """Add the variables that an expression names."""
    work = [] if expression is None else [expression]
    while work:
        node = work.pop()
        if isinstance(node, nodes.Name):
            found[node.variable] = None
        work.extend(reversed(children(node)))


def _expression(expression: nodes.Expression, found: set[nodes.Variable]) -> None:
    """Add the variables that an expression assigns."""
    work = [expression]
    while work:
        node = work.pop()
        if isinstance(node, nodes.Assign):
            _target(node.target, found)
        elif isinstance(node, nodes.Unary) and len(node.operator) > 1:
            _target(node.operand, found)
        elif isinstance(node, nodes.Call) and node.callee is not None:
            found.update(node.callee.writes)
        work.extend(children(node))


def _target(target: nodes.Expression, found: set[nodes.Variable]) -> None:
    while isinstance(target, nodes.Cast):
        target = target.operand
    if isinstance(target, nodes.Name):
        found.add(target.variable)
